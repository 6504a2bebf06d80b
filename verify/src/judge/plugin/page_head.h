 *
 *     cc -std=c99 -I FOLDER_OF_lockstep.h -o again main.c -ldl && ./again ./LIBRARY [ARGUMENT...]
 *
 * Exit status: 0 the library does what the reference does, 1 it does not, 2 it was not asked. A listing is printed and left to the reader. */
#include "lockstep.h"
#include <dlfcn.h>
#include <stdio.h>

