/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The machine of machine.h. The functions of linux/domain.h that are called here are the lowered ones: they write numbers
 * of functions and addresses of the arena, as the kernel's programs read them. */
#define _GNU_SOURCE
#include "linux/daemon/machine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "linux/foresight.h"
#include "linux/layout.h"

enum { PAGE = 4096, PATH_BYTES = 1024 };

#define NOT_BEGUN (UINT64_MAX / 2 + 1)

/* ---- what the lowered code asks of its host ------------------------------------------------------------- */

bool takt_may_continue(void);
void *takt_frame(uint64_t offset);
bool takt_is_used(uint64_t function);
void takt_give_up(uint64_t reason);

bool takt_may_continue(void) { return true; }

/* The daemon builds domains, and has all functions. */
bool takt_is_used(uint64_t function) {
    (void)function;
    return true;
}

void takt_give_up(uint64_t reason) { *(volatile uint64_t *)(uintptr_t)TAKT_ARENA_REFUSED = reason + 1; }

/* The frames behind those of all processors. */
void *takt_frame(uint64_t offset) {
    return (void *)(uintptr_t)(TAKT_ARENA_FRAMES + TAKT_CPUS * TAKT_ARENA_FRAME_BYTES + offset);
}

/* ---- loading -------------------------------------------------------------------------------------------- */

static bool fail(takt_machine_t *machine, const char *what) {
    machine->what = what;
    machine->error = errno;
    return false;
}

static struct bpf_map *map_of(const struct bpf_object *object, const char *name) {
    return bpf_object__find_map_by_name(object, name);
}

static struct bpf_program *program_of(const struct bpf_object *object, const char *name) {
    return bpf_object__find_program_by_name(object, name);
}

static uint64_t rounded(uint64_t bytes) { return (bytes + PAGE - 1u) / PAGE * PAGE; }

static void *map_memory(const takt_machine_t *machine, const char *name) {
    const struct bpf_map *map = map_of(machine->memory, name);
    const uint64_t bytes = rounded((uint64_t)bpf_map__max_entries(map) * bpf_map__value_size(map));
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, bpf_map__fd(map), 0);
    return memory != MAP_FAILED ? memory : NULL;
}

/* Objects for families of task sets (linux/bpf/uses.py), the smallest first: beside takt.bpf.o, as takt-plain.bpf.o. */
static const char *const families[] = {"plain", "resources", "servers", "rates"};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* Whether `has` names all functions that are used. */
static bool has_used(const bool *has, const takt_uses_t *uses) {
    for (uint32_t i = 0; i < TAKT_FUNCTIONS; i++) {
        if (uses->is_used[i] && !has[i]) {
            return false;
        }
    }
    return true;
}

/* Opens the object of a family; NULL if there is none, or if it has not all that is used. */
static struct bpf_object *open_family(const takt_machine_t *machine, const takt_uses_t *uses,
                                      const char *family) {
    static const char ending[] = ".bpf.o";
    char name[PATH_BYTES];
    size_t bytes = strlen(machine->name);
    const size_t folder_and_name = bytes >= sizeof ending ? bytes + 1 - sizeof ending : 0;
    (void)snprintf(name, sizeof name, "%.*s-%s%s", (int)folder_and_name, machine->name, family, ending);
    struct bpf_object *object = access(name, R_OK) == 0 ? bpf_object__open_file(name, NULL) : NULL;
    struct bpf_map *used = object != NULL ? bpf_object__find_map_by_name(object, ".rodata.used") : NULL;
    const bool *has = used != NULL ? bpf_map__initial_value(used, &bytes) : NULL;
    if (has != NULL && bytes == TAKT_FUNCTIONS && has_used(has, uses)) {
        return object;
    }
    bpf_object__close(object);
    return NULL;
}

/* Opens the smallest object that has all that is used; `uses` is NULL for the one of all functions. */
static struct bpf_object *open_object(const takt_machine_t *machine, const takt_uses_t *uses) {
    struct bpf_object *object = NULL;
    for (uint32_t i = 0; i < FAMILIES && uses != NULL && object == NULL; i++) {
        object = open_family(machine, uses, families[i]);
    }
    return object != NULL ? object : bpf_object__open_file(machine->name, NULL);
}

static bool is_used(const takt_uses_t *uses, uint32_t function) {
    return uses == NULL || uses->is_used[function];
}

/* Sets the sizes of the memory, and the constants of the programs of an object, before they are loaded. */
static bool set_sizes(const takt_machine_t *machine, const takt_uses_t *uses,
                      const struct bpf_object *object) {
    const uint32_t processors = machine->processors;
    if (bpf_map__set_max_entries(map_of(object, "slots"), processors * TAKT_SHARED_SLOTS) != 0 ||
        bpf_map__set_max_entries(map_of(object, "members"), processors * TAKT_SHARED_SLOTS) != 0 ||
        bpf_map__set_max_entries(map_of(object, "pending"), processors * TAKT_PENDING) != 0 ||
        bpf_map__set_max_entries(map_of(object, "switches"),
                                 machine->has_switches ? processors * TAKT_SWITCHES : 1) != 0) {
        return false;
    }
    size_t bytes;
    bool *is_full = bpf_map__initial_value(map_of(object, ".rodata"), &bytes);
    if (is_full == NULL || bytes < sizeof *is_full) {
        return false;
    }
    *is_full = machine->is_full;
    bool *used = bpf_map__initial_value(map_of(object, ".rodata.used"), &bytes);
    if (used == NULL || bytes != TAKT_FUNCTIONS) {
        return false;
    }
    for (uint32_t i = 0; i < TAKT_FUNCTIONS; i++) {
        used[i] = is_used(uses, i);
    }
    struct bpf_map *other = map_of(object, machine->is_full ? "takt_ops" : "takt_ops_of_all");
    return bpf_map__set_autocreate(other, false) == 0 &&
           bpf_program__set_autoload(program_of(object, "takt_switch"), machine->has_switches) == 0;
}

static bool is_of_programs(const struct bpf_map *map) {
    return bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS ||
           strncmp(bpf_map__name(map), ".rodata", strlen(".rodata")) == 0;
}

/* Has the programs of an object use the memory that there is. */
static bool share_memory(const takt_machine_t *machine, const struct bpf_object *object) {
    struct bpf_map *map;
    if (machine->memory == NULL) {
        return true;
    }
    bpf_object__for_each_map(map, object) {
        const struct bpf_map *own = is_of_programs(map) ? NULL : map_of(machine->memory, bpf_map__name(map));
        if (own != NULL && bpf_map__reuse_fd(map, bpf_map__fd(own)) != 0) {
            return false;
        }
    }
    return true;
}

/* Loads what `object` has of the functions `uses`, NULL for all, with or without the program that calls them. */
static bool load_from(takt_machine_t *machine, struct bpf_object *object, const takt_uses_t *uses,
                      bool decides) {
    if (!set_sizes(machine, uses, object) || !share_memory(machine, object)) {
        return fail(machine, "the compiled programs are of another version");
    }
    (void)bpf_program__set_autoload(program_of(object, "takt_decide"), decides);
    (void)bpf_program__set_autoload(program_of(object, "takt_decide_later"), !decides);
    if (bpf_object__load(object) != 0) {
        return fail(machine, errno == EOPNOTSUPP ? "with PREEMPT_RT the kernel has no timers for the programs"
                                                 : "the kernel refuses the programs");
    }
    for (uint32_t i = 0; i < TAKT_FUNCTIONS; i++) {
        machine->loaded[i] = decides && is_used(uses, i);
    }
    return true;
}

/* Opens and loads the smallest object. Returns NULL if that fails. */
static struct bpf_object *load(takt_machine_t *machine, const takt_uses_t *uses, bool decides) {
    struct bpf_object *object = open_object(machine, uses);
    if (object == NULL) {
        (void)fail(machine, "the compiled programs cannot be read");
    } else if (!load_from(machine, object, uses, decides)) {
        bpf_object__close(object);
        object = NULL;
    }
    return object;
}

static void close_programs(takt_machine_t *machine) {
    if (machine->object != machine->memory) {
        bpf_object__close(machine->object);
    }
}

/* Loads what the domains need in place of the programs that are loaded; these stay if that fails. */
static bool load_needs(takt_machine_t *machine) {
    struct bpf_object *object = load(machine, &machine->needs, true);
    if (object != NULL) {
        close_programs(machine);
        machine->object = object;
    }
    return object != NULL;
}

/* Reads the tables to their addresses. Returns how many bytes they have; 0 if they cannot be read. */
static size_t read_tables(const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        return 0;
    }
    const size_t most = TAKT_ARENA_TOLD - TAKT_ARENA_TABLES;
    const size_t bytes = fread((void *)(uintptr_t)TAKT_ARENA_TABLES, 1, most, file);
    return fclose(file) == 0 && bytes < most ? bytes : 0;
}

/* A page of the arena exists when a program of the host has written to it. */
static void touch(uint64_t from, uint64_t to) { memset((void *)(uintptr_t)from, 0, to - from); }

static bool map_all(takt_machine_t *machine) {
    machine->shared = map_memory(machine, ".data.processors");
    machine->ending = map_memory(machine, ".bss");
    machine->slots = map_memory(machine, "slots");
    machine->switches = map_memory(machine, "switches");
    return machine->shared != NULL && machine->ending != NULL && machine->slots != NULL &&
           machine->switches != NULL;
}

bool takt_machine_open(takt_machine_t *machine, const char *object, const char *tables, uint32_t processors,
                       bool has_switches) {
    machine->processors = processors;
    machine->folder = "/sys/kernel/sched_ext";
    machine->name = object;
    machine->has_switches = has_switches;
    if (machine->is_quiet) {
        (void)libbpf_set_print(NULL);
    }
    machine->memory = load(machine, machine->is_lazy ? &machine->needs : machine->uses, !machine->is_lazy);
    if (machine->memory == NULL) {
        return false;
    }
    machine->object = machine->is_lazy ? NULL : machine->memory;
    if (!map_all(machine)) {
        return fail(machine, "shared memory cannot be mapped");
    }
    touch(TAKT_ARENA_BASE, TAKT_ARENA_DOMAINS);
    machine->tables_bytes = read_tables(tables);
    if (machine->tables_bytes == 0) {
        return fail(machine, "the tables of the scheduler cannot be read");
    }
    takt_machine_clear(machine);
    return true;
}

void takt_machine_clear(takt_machine_t *machine) {
    machine->next = TAKT_ARENA_DOMAINS;
    memset(machine->slots, 0, (size_t)machine->processors * TAKT_SHARED_SLOTS * sizeof *machine->slots);
    for (uint32_t cpu = 0; cpu < TAKT_CPUS; cpu++) {
        machine->shared[cpu] = (takt_shared_t){.epoch_ns = NOT_BEGUN,
                                               .others = TAKT_SHARED_NONE,
                                               .decided = TAKT_SHARED_NONE,
                                               .running = TAKT_SHARED_NONE,
                                               .visited = TAKT_SHARED_NONE,
                                               .foreseen = TAKT_SHARED_NONE};
    }
    *machine->ending = (takt_ending_t){0};
    *(uint64_t *)(uintptr_t)TAKT_ARENA_REFUSED = 0;
    machine->needs = (takt_uses_t){.starts = NULL};
    (void)takt_uses_begin(&machine->needs, TAKT_ARENA_TABLES, machine->tables_bytes);
}

/* ---- domains -------------------------------------------------------------------------------------------- */

takt_domain_t *takt_machine_domain(const takt_machine_t *machine, uint32_t cpu) {
    return (takt_domain_t *)(uintptr_t)machine->shared[cpu].domain;
}

/* Builds at the free memory. It is known how much a domain needs when it has been built in too little: of itself, then of
 * its system. */
static takt_domain_status_t build(uint64_t at, takt_domain_order_t *order) {
    uint64_t bytes = 0;
    takt_domain_status_t status = TAKT_DOMAIN_MEMORY;
    for (int trial = 0; trial < 4 && status == TAKT_DOMAIN_MEMORY; trial++) {
        if (at + bytes > TAKT_ARENA_BASE + TAKT_ARENA_BYTES) {
            return TAKT_DOMAIN_MEMORY;
        }
        touch(at, at + bytes);
        status = (takt_domain_status_t)takt_domain_build(at, bytes, (uint64_t)(uintptr_t)order);
        bytes = order->bytes;
    }
    return status;
}

/* Builds the domain of an order behind its words, from `at` on. Both stand in the arena, too: the lowered code has no other
 * memory. Writes where the domain is to `domain`. */
static takt_domain_status_t build_from(uint64_t at, takt_domain_order_t *order, uint64_t *domain) {
    takt_domain_order_t *placed = (takt_domain_order_t *)(uintptr_t)at;
    uint64_t *copy = (uint64_t *)(uintptr_t)(at + PAGE);
    *domain = at + PAGE + rounded(order->count * sizeof *copy);
    if (*domain > TAKT_ARENA_BASE + TAKT_ARENA_BYTES) {
        return TAKT_DOMAIN_MEMORY;
    }
    memcpy(copy, order->words, order->count * sizeof *copy);
    *placed = *order;
    placed->words = copy;
    const takt_domain_status_t status = build(*domain, placed);
    *order = *placed;
    return status;
}

bool takt_machine_survey(takt_uses_t *uses, const char *tables, const uint64_t *words, uint64_t count) {
    void *base = (void *)(uintptr_t)TAKT_ARENA_BASE;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (mmap(base, TAKT_ARENA_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0) != base) {
        return false;
    }
    const size_t bytes = read_tables(tables);
    const bool is_read = bytes > 0 && takt_uses_begin(uses, TAKT_ARENA_TABLES, bytes);
    takt_domain_order_t order = {.words = words, .count = count, .records = 1};
    uint64_t domain;
    if (is_read && build_from(TAKT_ARENA_DOMAINS, &order, &domain) == TAKT_DOMAIN_OK) {
        takt_uses_add(uses, (const uint64_t *)(uintptr_t)domain, order.bytes / sizeof *words);
    }
    return munmap(base, TAKT_ARENA_BYTES) == 0 && is_read;
}

takt_domain_status_t takt_machine_add(takt_machine_t *machine, uint32_t cpu, const uint64_t *words,
                                      uint64_t count, uint64_t records, uint64_t tick_ns,
                                      takt_domain_order_t *order) {
    uint64_t after;
    *order = (takt_domain_order_t){.words = words, .count = count, .records = records};
    const takt_domain_status_t status = build_from(machine->next, order, &after);
    if (status != TAKT_DOMAIN_OK) {
        return status;
    }
    const takt_domain_t *domain = (const takt_domain_t *)(uintptr_t)after;
    const uint32_t entities = 1u + domain->system.server_count + domain->system.task_count;
    if (entities > TAKT_SHARED_SLOTS) {
        return TAKT_DOMAIN_MEMORY;
    }
    takt_shared_t *shared = &machine->shared[cpu];
    shared->tick_ns = tick_ns;
    shared->demand = TAKT_ARENA_TOLD + cpu * TAKT_ARENA_TOLD_BYTES + sizeof(takt_report_t);
    shared->entities = entities;
    shared->has_switches = machine->has_switches;
    shared->domain = after;
    machine->next = after + rounded(order->bytes);
    takt_uses_add(&machine->needs, (const uint64_t *)(uintptr_t)after, order->bytes / sizeof *words);
    return status;
}

/* ---- attaching ------------------------------------------------------------------------------------------ */

/* False if the kernel calls no program when a function begins: then nothing would decide. Unknown is not false. */
static bool calls_programs(void) {
    FILE *file = fopen("/proc/sys/kernel/ftrace_enabled", "r");
    const int first = file != NULL ? fgetc(file) : EOF;
    if (file != NULL) {
        (void)fclose(file);
    }
    return first != '0';
}

/* The programs that the scheduler calls come before it. */
bool takt_machine_attach(takt_machine_t *machine) {
    const bool is_loaded = machine->object != NULL && has_used(machine->loaded, &machine->needs);
    if (!is_loaded && !load_needs(machine)) {
        return false;
    }
    if (!calls_programs()) {
        errno = EPERM;
        return fail(machine, "the kernel calls no programs at functions; set kernel.ftrace_enabled to 1");
    }
    struct bpf_program *kept = program_of(machine->object, "takt_switch");
    if (bpf_program__autoload(kept)) {
        machine->switch_link = bpf_program__attach(kept);
    }
    machine->decide_link = bpf_program__attach(program_of(machine->object, "takt_decide"));
    machine->link = machine->decide_link != NULL
                        ? bpf_map__attach_struct_ops(
                              map_of(machine->object, machine->is_full ? "takt_ops_of_all" : "takt_ops"))
                        : NULL;
    if (machine->link != NULL) {
        return true;
    }
    (void)fail(machine, "the kernel does not attach the scheduler");
    takt_machine_detach(machine);
    return false;
}

int takt_machine_slots_file(const takt_machine_t *machine) {
    return bpf_map__fd(map_of(machine->memory, "slots"));
}

takt_linux_slot_t *takt_machine_slot(const takt_machine_t *machine, uint32_t cpu, uint32_t entity) {
    return machine->slots + (size_t)cpu * TAKT_SHARED_SLOTS + entity;
}

/* A thread that has no job yet sleeps until its next release. The kernel writes that only when it selects a job of the
 * entity. */
static void publish_release(const takt_machine_t *machine, uint32_t cpu, uint32_t entity) {
    const takt_shared_t *shared = &machine->shared[cpu];
    const uint64_t next = takt_domain_next_release(shared->domain, entity);
    const bool is_known =
        shared->epoch_ns < NOT_BEGUN && next < (NOT_BEGUN - shared->epoch_ns) / shared->tick_ns;
    takt_machine_slot(machine, cpu, entity)->next_release_ns =
        is_known ? shared->epoch_ns + next * shared->tick_ns : 0;
}

bool takt_machine_bind(takt_machine_t *machine, int32_t thread, uint32_t cpu, uint32_t entity) {
    publish_release(machine, cpu, entity);
    const uint32_t key = (uint32_t)thread;
    const takt_binding_t binding = {cpu, entity};
    return bpf_map__update_elem(map_of(machine->memory, "bindings"), &key, sizeof key, &binding,
                                sizeof binding, BPF_ANY) == 0;
}

void takt_machine_unbind(takt_machine_t *machine, int32_t thread) {
    const uint32_t key = (uint32_t)thread;
    (void)bpf_map__delete_elem(map_of(machine->memory, "bindings"), &key, sizeof key, 0);
}

void takt_machine_begin(takt_machine_t *machine, uint64_t epoch_ns, uint64_t end_ns) {
    for (uint32_t cpu = 0; cpu < TAKT_CPUS; cpu++) {
        machine->shared[cpu].end_ns = end_ns;
        __atomic_store_n(&machine->shared[cpu].epoch_ns, epoch_ns, __ATOMIC_RELEASE);
    }
}

int takt_machine_state(const takt_machine_t *machine, const char **reason) {
    *reason = machine->ending->reason;
    return machine->ending->kind;
}

void takt_machine_detach(takt_machine_t *machine) {
    bpf_link__destroy(machine->link);
    bpf_link__destroy(machine->switch_link);
    bpf_link__destroy(machine->decide_link);
    machine->link = NULL;
    machine->switch_link = NULL;
    machine->decide_link = NULL;
}

/* Lets a domain decide what it was behind, as the programs of the kernel do. */
static void follow(takt_shared_t *shared) {
    const uint64_t domain = shared->domain, now = (shared->ahead_ns - shared->epoch_ns) / shared->tick_ns;
    const uint64_t foresight = shared->demand + sizeof(takt_demand_t);
    (void)takt_domain_pass(domain, now);
    if ((uint32_t)takt_domain_selected(domain) == shared->decided) {
        (void)takt_domain_take(domain, now);
        shared->takes++;
    }
    shared->misforeseen += takt_domain_agrees(domain, foresight) == 0;
    shared->ahead_ns = 0;
}

uint64_t takt_machine_end(takt_machine_t *machine, uint32_t cpu, uint64_t now_ns) {
    takt_shared_t *shared = &machine->shared[cpu];
    if (shared->ahead_ns != 0) {
        follow(shared);
    }
    return takt_domain_end(shared->domain, (now_ns - shared->epoch_ns) / shared->tick_ns);
}

bool takt_machine_cost(const takt_machine_t *machine, uint32_t index, takt_cost_t *cost) {
    struct bpf_program *program;
    struct bpf_prog_info info = {0};
    uint32_t bytes = sizeof info;
    bpf_object__for_each_program(program, machine->object) {
        const bool is_loaded = bpf_program__fd(program) >= 0;
        if (is_loaded && index-- == 0) {
            const bool is_had = bpf_prog_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0;
            *cost = (takt_cost_t){.calls = info.run_cnt, .ns = info.run_time_ns};
            memcpy(cost->name, info.name, sizeof cost->name);
            return is_had && info.run_cnt > 0;
        }
    }
    return false;
}

bool takt_machine_requested(const takt_machine_t *machine, uint32_t cpu, uint64_t index,
                            takt_requested_t *row) {
    return takt_domain_requested(machine->shared[cpu].domain, index, (uint64_t)(uintptr_t)row) != 0;
}

void takt_machine_close(takt_machine_t *machine) {
    takt_machine_detach(machine);
    close_programs(machine);
    bpf_object__close(machine->memory);
    machine->object = machine->memory = NULL;
}
