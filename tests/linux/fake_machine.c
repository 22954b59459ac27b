/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A machine whose kernel schedules no thread, for tests of taktd: domains are built by the native core. What the kernel
 * would do is said by files in the folder that TAKT_FAKE names:
 *
 *     state, root/ops    as in /sys/kernel/sched_ext
 *     refuses    the kernel does not attach
 *     ends       the kernel ends the scheduler, with this reason
 *     full       no connection can be accepted
 *     classes    written: a line for each thread that gets a binding or loses it */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "linux/daemon/machine.h"

enum { PATH_BYTES = 512 };

static int slots_file;
static takt_ending_t ending;
static void *memories[TAKT_SHARED_PROCESSORS];
static bool is_attached;

/* Reads a file of the folder; returns whether there is one. */
static bool read_fake(const char *name, char *text, size_t bytes) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TAKT_FAKE"), name);
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (file == NULL) {
        return false;
    }
    const bool is_read = fgets(text, (int)bytes, file) != NULL;
    return fclose(file) == 0 && is_read;
}

static void write_fake(const char *line, int32_t thread) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/classes", getenv("TAKT_FAKE"));
    FILE *file = fopen(path, "a");
    fprintf(file, "%s %d\n", line, thread);
    (void)fclose(file);
}

int __real_accept4(int listener, struct sockaddr *address, socklen_t *bytes, int flags);
int __wrap_accept4(int listener, struct sockaddr *address, socklen_t *bytes, int flags);

/* The linker puts it in place of accept4. */
int __wrap_accept4(int listener, struct sockaddr *address, socklen_t *bytes, int flags) {
    char text[8];
    if (read_fake("full", text, sizeof text)) {
        errno = EMFILE;
        return -1;
    }
    return __real_accept4(listener, address, bytes, flags);
}

bool takt_machine_open(takt_machine_t *machine, const char *object, const char *tables, uint32_t processors,
                       bool has_switches) {
    if (access(object, R_OK) != 0 || access(tables, R_OK) != 0 || has_switches) {
        machine->what = "the compiled programs cannot be read";
        machine->error = errno;
        return false;
    }
    const size_t bytes = (size_t)processors * TAKT_SHARED_SLOTS * sizeof *machine->slots;
    machine->processors = processors;
    machine->folder = getenv("TAKT_FAKE");
    machine->ending = &ending;
    machine->shared = calloc(TAKT_SHARED_PROCESSORS, sizeof *machine->shared);
    slots_file = memfd_create("slots", MFD_CLOEXEC);
    if (ftruncate(slots_file, (off_t)bytes) != 0) {
        return false;
    }
    machine->slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, slots_file, 0);
    takt_machine_clear(machine);
    return true;
}

void takt_machine_clear(takt_machine_t *machine) {
    memset(machine->slots, 0, (size_t)machine->processors * TAKT_SHARED_SLOTS * sizeof *machine->slots);
    memset(machine->shared, 0, TAKT_SHARED_PROCESSORS * sizeof *machine->shared);
    for (int i = 0; i < TAKT_SHARED_PROCESSORS; i++) {
        free(memories[i]);
        memories[i] = NULL;
    }
    ending.kind = 0;
}

takt_domain_t *takt_machine_domain(const takt_machine_t *machine, uint32_t cpu) {
    return (takt_domain_t *)(uintptr_t)machine->shared[cpu].domain;
}

takt_domain_status_t takt_machine_add(takt_machine_t *machine, uint32_t cpu, const uint64_t *words,
                                      uint64_t count, uint64_t records, uint64_t tick_ns,
                                      takt_domain_order_t *order) {
    static uint64_t copies[TAKT_SHARED_PROCESSORS][1 << 16];
    takt_domain_status_t status = TAKT_DOMAIN_MEMORY;
    uint64_t bytes = 0;
    if (count > sizeof copies[0] / sizeof copies[0][0]) {
        return TAKT_DOMAIN_MEMORY;
    }
    memcpy(copies[cpu], words, count * sizeof *words);
    *order = (takt_domain_order_t){.words = copies[cpu], .count = count, .records = records};
    for (int trial = 0; trial < 4 && status == TAKT_DOMAIN_MEMORY; trial++) {
        free(memories[cpu]);
        memories[cpu] = calloc(1, bytes + 16);
        status = (takt_domain_status_t)takt_domain_build((uintptr_t)memories[cpu], bytes, (uintptr_t)order);
        bytes = order->bytes;
    }
    if (status == TAKT_DOMAIN_OK) {
        const takt_system_t *system = &((takt_domain_t *)memories[cpu])->system;
        machine->shared[cpu] = (takt_shared_t){
            .domain = (uintptr_t)memories[cpu],
            .tick_ns = tick_ns,
            .entities = 1u + system->server_count + system->task_count,
            .running = TAKT_SHARED_NONE,
        };
    }
    return status;
}

bool takt_machine_attach(takt_machine_t *machine) {
    char text[16];
    machine->what = "the kernel does not attach the scheduler";
    machine->error = EBUSY;
    is_attached = !read_fake("refuses", text, sizeof text);
    return is_attached;
}

int takt_machine_slots_file(const takt_machine_t *machine) { return machine != NULL ? slots_file : -1; }

takt_linux_slot_t *takt_machine_slot(const takt_machine_t *machine, uint32_t cpu, uint32_t entity) {
    return machine->slots + (size_t)cpu * TAKT_SHARED_SLOTS + entity;
}

bool takt_machine_bind(takt_machine_t *machine, int32_t thread, uint32_t cpu, uint32_t entity) {
    takt_machine_slot(machine, cpu, entity)->state = TAKT_SLOT_ATTACHED;
    write_fake("binding", thread);
    return true;
}

void takt_machine_unbind(takt_machine_t *machine, int32_t thread) {
    machine->error = 0;
    write_fake("unbind", thread);
}

void takt_machine_begin(takt_machine_t *machine, uint64_t epoch_ns, uint64_t end_ns) {
    for (int i = 0; i < TAKT_SHARED_PROCESSORS; i++) {
        machine->shared[i].epoch_ns = epoch_ns;
        machine->shared[i].end_ns = end_ns;
    }
}

int takt_machine_state(const takt_machine_t *machine, const char **reason) {
    takt_ending_t *written = machine->ending;
    *reason = written->reason;
    if (is_attached && read_fake("ends", written->reason, sizeof written->reason)) {
        written->kind = 1;
    }
    return written->kind;
}

void takt_machine_detach(takt_machine_t *machine) {
    is_attached = false;
    for (uint32_t i = 0; i < machine->processors * TAKT_SHARED_SLOTS; i++) {
        machine->slots[i].state = 0;
    }
}

/* The first decision is made, and the others are not: the first jobs execute until then. */
uint64_t takt_machine_end(takt_machine_t *machine, uint32_t cpu, uint64_t now_ns) {
    const takt_shared_t *shared = &machine->shared[cpu];
    (void)takt_domain_peek(shared->domain, 0);
    (void)takt_domain_take(shared->domain, 0);
    return takt_domain_end(shared->domain, (now_ns - shared->epoch_ns) / shared->tick_ns);
}

bool takt_machine_requested(const takt_machine_t *machine, uint32_t cpu, uint64_t index,
                            takt_requested_t *row) {
    return takt_domain_requested(machine->shared[cpu].domain, index, (uint64_t)(uintptr_t)row) != 0;
}

void takt_machine_close(takt_machine_t *machine) { takt_machine_detach(machine); }
