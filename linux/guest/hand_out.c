// SPDX-License-Identifier: Apache-2.0 OR MIT
// Appends standard input to memory that the emulator shares with the host: the number of bytes as a word of 64 bits, then they.
// The number is written last, so the host may read meanwhile. Memory, because each byte of a serial line costs an interrupt, and a paravirtual device acts when the host has time, which
// makes runs with several processors differ. Argument: the file of the memory, a resource of a PCI device.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *why) {
    fprintf(stderr, "hand_out: %s\n", why);
    return 1;
}

int main(int argc, char **argv) {
    struct stat state;
    int file = argc == 2 ? open(argv[1], O_RDWR) : -1;

    if (file < 0 || fstat(file, &state) != 0)
        return refuse("the shared memory cannot be opened");
    uint8_t *memory = mmap(NULL, (size_t)state.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return refuse("the shared memory cannot be mapped");
    uint64_t *length = (uint64_t *)memory;
    uint64_t capacity = (uint64_t)state.st_size - sizeof *length;
    uint64_t taken = *length;
    ssize_t count;
    do {
        if (taken == capacity)
            return refuse("the results are longer than the shared memory");
        count = read(STDIN_FILENO, memory + sizeof *length + taken, capacity - taken);
        taken += count > 0 ? (uint64_t)count : 0;
    } while (count > 0);
    __atomic_store_n(length, taken, __ATOMIC_RELEASE);
    return 0;
}
