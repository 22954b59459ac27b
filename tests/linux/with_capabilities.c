/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs a program as a user with some capabilities, and no others.
 *
 * usage: with_capabilities USER GROUP CAPABILITY,... PROGRAM ARGUMENT...; numbers, as in linux/capability.h */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t capabilities_of(char *list) {
    uint64_t set = 0;
    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
        set |= UINT64_C(1) << strtoul(word, NULL, 10);
    }
    return set;
}

static int set_capabilities(uint64_t set) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    const uint32_t low = (uint32_t)set, high = (uint32_t)(set >> 32);
    const struct __user_cap_data_struct data[2] = {{low, low, low}, {high, high, high}};
    return (int)syscall(SYS_capset, &header, data);
}

static int fail(const char *what) {
    perror(what);
    return 1;
}

int main(int count, char **arguments) {
    if (count < 5) {
        return fail("with_capabilities");
    }
    const uint64_t set = capabilities_of(arguments[3]);
    const unsigned int user = (unsigned int)atoi(arguments[1]), group = (unsigned int)atoi(arguments[2]);
    for (unsigned long capability = 0; capability <= CAP_LAST_CAP; capability++) {
        if ((set >> capability & 1u) == 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            return fail("bounding set");
        }
    }
    (void)prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    if (setgroups(0, NULL) != 0 || setgid(group) != 0 || setuid(user) != 0 || set_capabilities(set) != 0) {
        return fail("user");
    }
    for (unsigned long capability = 0; capability <= CAP_LAST_CAP; capability++) {
        if ((set >> capability & 1u) != 0 &&
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) {
            return fail("ambient set");
        }
    }
    (void)execv(arguments[4], arguments + 4);
    return fail(arguments[4]);
}
