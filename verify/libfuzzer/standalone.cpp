// Runs a fuzz target without libFuzzer, for compilers that have none: replays files, or mutates blindly, without coverage.
//     c++ -std=c++11 -I verify/include -o fuzz subject.cpp verify/libfuzzer/standalone.cpp liblockstep_libfuzzer.a -lpthread -ldl -lm
//     ./fuzz FILE...                                 tests these inputs
//     ./fuzz -runs=N -seed=N -timeout=S -max_len=N   tests N generated and mutated inputs
//     ./fuzz -artifact_prefix=DIR/                   saves a failing input there instead of in the current folder
// The options are libFuzzer's. An input that fails is saved as crash-input, one that takes longer than S seconds as timeout-input. For POSIX systems.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *out,
                                 size_t max_size, unsigned seed);
}

typedef std::vector<uint8_t> Input;

// The input that the signal handler saves, and the paths of the files. The paths are set before the first input, because a signal handler may not
// allocate.
static const uint8_t *volatile current = nullptr;
static volatile size_t current_size = 0;
static std::string crash_path = "crash-input", timeout_path = "timeout-input";

static void save(const char *path) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return;
    const uint8_t *at = current;
    for (size_t left = current_size; left > 0;) {
        const ssize_t written = write(file, at, left);
        if (written <= 0) break;
        at += written, left -= static_cast<size_t>(written);
    }
    close(file);
    static const char SAVED[] = "input saved to ";
    if (write(2, SAVED, sizeof SAVED - 1) < 0 || write(2, path, strlen(path)) < 0 || write(2, "\n", 1) < 0) return;
}

static void failed(int signal) {
    if (current) save(signal == SIGALRM ? timeout_path.c_str() : crash_path.c_str());
    if (signal == SIGALRM) _exit(70); // libFuzzer's exit status for a timeout
    std::signal(signal, SIG_DFL);
    raise(signal);
}

static void test(const Input &input, unsigned timeout) {
    current_size = input.size();
    current = input.data();
    alarm(timeout);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    alarm(0);
    current = nullptr;
}

// The value of an option such as -runs=5, if `word` is that option.
static bool option(const char *word, const char *name, unsigned long &value) {
    const size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || word[length] != '=') return false;
    value = strtoul(word + length + 1, nullptr, 10);
    return true;
}

int main(int count, char **words) {
    unsigned long runs = 10000, seed = 1, timeout = 60, max_len = 65536;
    static const char PREFIX[] = "-artifact_prefix=";
    std::vector<const char *> files;
    for (int n = 1; n < count; n++) {
        const char *word = words[n];
        if (option(word, "-runs", runs) || option(word, "-seed", seed) || option(word, "-timeout", timeout)) continue;
        if (option(word, "-max_len", max_len)) continue;
        if (!strncmp(word, PREFIX, sizeof PREFIX - 1)) {
            crash_path = word + (sizeof PREFIX - 1) + crash_path, timeout_path = word + (sizeof PREFIX - 1) + timeout_path;
        } else if (word[0] == '-') {
            fprintf(stderr, "%s: there is no such option\n", word);
            return 2;
        } else {
            files.push_back(word);
        }
    }
    for (int signal : {SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) std::signal(signal, failed);
    LLVMFuzzerInitialize(&count, &words);
    for (const char *path : files) {
        std::ifstream file(path, std::ios::binary);
        if (!file) {
            fprintf(stderr, "%s cannot be read\n", path);
            return 2;
        }
        test(Input(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()), static_cast<unsigned>(timeout));
    }
    if (!files.empty()) return 0;
    // Each input is a mutation of the previous one. The first of every eight begins from an empty input; the last of every eight combines the
    // previous two.
    Input room(max_len), input, before;
    for (unsigned long run = 0; run < runs; run++) {
        const unsigned number = static_cast<unsigned>(seed * 1000003 + run);
        size_t size = run % 8 == 0 ? 0 : input.size();
        std::copy(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(size), room.begin());
        if (run % 8 == 7)
            size = LLVMFuzzerCustomCrossOver(input.data(), input.size(), before.data(), before.size(), room.data(), room.size(), number);
        else
            size = LLVMFuzzerCustomMutator(room.data(), size, room.size(), number);
        before.swap(input);
        input.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
        test(input, static_cast<unsigned>(timeout));
    }
    return 0;
}
