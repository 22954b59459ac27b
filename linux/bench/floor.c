// SPDX-License-Identifier: Apache-2.0 OR MIT
// Runs a command while the scheduler of floor.bpf.c is attached.
//
// Usage: floor OBJECT COMMAND... The exit status is that of the command; 2: the kernel refuses the scheduler.
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REFUSED = 2, NOT_STARTED = 127 };

int main(int argc, char **argv) {
    struct bpf_object *object = argc > 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
    if (object == NULL || bpf_object__load(object) != 0 ||
        bpf_map__attach_struct_ops(bpf_object__find_map_by_name(object, "floor_ops")) == NULL) {
        fprintf(stderr, "floor: the scheduler cannot be attached\n");
        return REFUSED;
    }
    const pid_t child = fork();
    if (child == 0) {
        (void)execv(argv[2], argv + 2);
        _exit(NOT_STARTED);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : REFUSED;
}
