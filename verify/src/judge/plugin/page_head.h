 *
 *     cc -std=c99 -I FOLDER_OF_lockstep.h -o again main.c -ldl && ./again ./LIBRARY [ARGUMENT...]
 *
 * Exit status: 0 if the library agrees with the reference, 1 if it differs, 2 if it could not be judged. A decoder's listing is printed, not compared. */
#include "lockstep.h"
#include <dlfcn.h>
#include <stdio.h>

