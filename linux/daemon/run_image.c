/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs task sets as threads of this machine, one image for each processor, and writes what happened.
 *
 * usage: takt-linux OBJECT TABLES FOLDER TICK_NS IMAGE...
 *
 * The image at place i is for processor i. Files in FOLDER: trace<i> (records), jobs<i> (takt_program_job_t), switches<i>
 * (takt_switch_t), told (lines of text, for people and tools). */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "linux/daemon/machine.h"
#include "linux/program/program.h"

enum { STATUS_REFUSED = 2, STATUS_FAILED = 3, JOBS = 200000, RECORDS = 400000, NAME = 256 };

#define LEAD_NS UINT64_C(50000000) /* from the begin to instant 0 */

typedef struct processor {
    takt_machine_t *machine;
    uint32_t cpu;
    uint64_t *words;
    uint64_t count;
    takt_linux_place_t *places;
    takt_linux_table_t table;
    takt_linux_transport_t transport;
    takt_program_run_t run;
    takt_program_status_t status;
    pthread_t thread;
} processor_t;

static pthread_barrier_t all_joined;
static uint64_t epoch_ns;

static _Noreturn void end(int status, const char *what, const char *detail) {
    fprintf(stderr, "takt-linux: %s%s%s\n", what, *detail != '\0' ? ": " : "", detail);
    exit(status);
}

static uint64_t *read_words(const char *name, uint64_t *count) {
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        end(STATUS_REFUSED, name, strerror(errno));
    }
    const long bytes = ftell(file);
    uint64_t *words = malloc((size_t)bytes + sizeof *words);
    rewind(file);
    *count = (uint64_t)bytes / sizeof *words;
    if (words == NULL || fread(words, sizeof *words, *count, file) != *count) {
        end(STATUS_REFUSED, name, "cannot be read");
    }
    (void)fclose(file);
    return words;
}

static bool bind_thread(void *context, const takt_linux_place_t *place, int32_t thread, bool is_bound) {
    processor_t *processor = context;
    if (!is_bound) {
        takt_machine_unseat(processor->machine, thread);
        return true;
    }
    return takt_machine_seat(processor->machine, thread, processor->cpu, place->entity);
}

/* All threads of this processor have joined. The last processor sets instant 0. */
static uint64_t begin(void *context) {
    processor_t *processor = context;
    if (pthread_barrier_wait(&all_joined) == PTHREAD_BARRIER_SERIAL_THREAD) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        const takt_domain_t *domain = takt_machine_domain(processor->machine, processor->cpu);
        epoch_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec + LEAD_NS;
        const uint64_t tick = processor->machine->desks[processor->cpu].tick_ns;
        takt_machine_begin(processor->machine, epoch_ns, epoch_ns + domain->program.horizon * tick);
    }
    (void)pthread_barrier_wait(&all_joined);
    return epoch_ns;
}

static void *run_processor(void *context) {
    processor_t *processor = context;
    processor->status = takt_program_run(&processor->run);
    return NULL;
}

static void place_tasks(processor_t *processor) {
    const takt_domain_t *domain = takt_machine_domain(processor->machine, processor->cpu);
    const uint32_t first = 1u + domain->system.server_count, count = domain->system.task_count;
    processor->places = calloc(count, sizeof *processor->places);
    for (uint32_t i = 0; i < count; i++) {
        processor->places[i] = (takt_linux_place_t){
            .entity = first + i,
            .cpu = (int32_t)processor->cpu,
            .slot = processor->machine->slots + (size_t)processor->cpu * TAKT_DESK_SLOTS + first + i,
        };
    }
    processor->table = (takt_linux_table_t){processor->places, count, processor, bind_thread};
    processor->transport = takt_linux_table(&processor->table);
    processor->run = (takt_program_run_t){
        .words = processor->words,
        .count = processor->count,
        .transport = &processor->transport,
        .jobs = calloc(JOBS, sizeof(takt_program_job_t)),
        .job_limit = JOBS,
        .context = processor,
        .begin = begin,
    };
}

static void write_file(const char *folder, const char *name, uint32_t cpu, const void *data, size_t bytes) {
    char path[NAME];
    (void)snprintf(path, sizeof path, "%s/%s%u", folder, name, cpu);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
        end(STATUS_FAILED, path, strerror(errno));
    }
}

static void report(const processor_t *processor, const char *folder, uint64_t end_ns) {
    takt_machine_t *machine = processor->machine;
    const uint32_t cpu = processor->cpu;
    const uint64_t records = takt_machine_end(machine, cpu, end_ns);
    const takt_domain_t *domain = takt_machine_domain(machine, cpu);
    const takt_desk_t *desk = &machine->desks[cpu];
    write_file(folder, "trace", cpu, domain->log.records, records * sizeof(takt_record_t));
    write_file(folder, "jobs", cpu, processor->run.jobs,
               processor->run.job_count * sizeof(takt_program_job_t));
    write_file(folder, "switches", cpu, machine->switches + (size_t)cpu * TAKT_SWITCHES,
               desk->switches * sizeof(takt_switch_t));
    printf(
        "processor %u: %s; jobs %u, records %llu, decisions %llu, mismatches %llu, absences %llu, refused "
        "%llu, "
        "inputs refused %u, lost %llu\n",
        cpu, takt_program_message(processor->status), processor->run.job_count, (unsigned long long)records,
        (unsigned long long)desk->takes, (unsigned long long)desk->mismatches,
        (unsigned long long)desk->absences, (unsigned long long)desk->refused, domain->refused,
        (unsigned long long)domain->log.lost);
    for (uint32_t i = 0; i < processor->table.count; i++) {
        const takt_linux_place_t *place = &processor->places[i];
        printf("  entity %u: started %u, answered %u, receipt %u\n", place->entity, place->slot->started,
               place->slot->answered, place->slot->receipt);
    }
}

int main(int count, char **arguments) {
    if (count < 6) {
        end(STATUS_REFUSED, "usage: takt-linux OBJECT TABLES FOLDER TICK_NS IMAGE...", "");
    }
    const char *folder = arguments[3];
    const uint64_t tick_ns = strtoull(arguments[4], NULL, 10);
    const uint32_t processors = (uint32_t)count - 5;
    static takt_machine_t machine;
    machine.is_full = getenv("TAKT_FULL") != NULL;
    processor_t *all = calloc(processors, sizeof *all);
    struct timespec t0, t1;
    (void)clock_gettime(CLOCK_MONOTONIC, &t0);
    if (!takt_machine_open(&machine, arguments[1], arguments[2], processors, true)) {
        end(STATUS_FAILED, machine.what, strerror(machine.error));
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("loaded in %lld ms\n",
           (long long)((t1.tv_sec - t0.tv_sec) * 1000 + (t1.tv_nsec - t0.tv_nsec) / 1000000));
    for (uint32_t cpu = 0; cpu < processors; cpu++) {
        all[cpu].machine = &machine;
        all[cpu].cpu = cpu;
        all[cpu].words = read_words(arguments[5 + cpu], &all[cpu].count);
        takt_domain_order_t order;
        const takt_domain_status_t status =
            takt_machine_add(&machine, cpu, all[cpu].words, all[cpu].count, RECORDS, tick_ns, &order);
        if (status != TAKT_DOMAIN_OK) {
            end(STATUS_REFUSED, "no domain", takt_domain_message(status));
        }
    }
    if (!takt_machine_attach(&machine)) {
        end(STATUS_FAILED, machine.what, strerror(machine.error));
    }
    (void)pthread_barrier_init(&all_joined, NULL, processors);
    for (uint32_t cpu = 0; cpu < processors; cpu++) {
        place_tasks(&all[cpu]);
        (void)pthread_create(&all[cpu].thread, NULL, run_processor, &all[cpu]);
    }
    for (uint32_t cpu = 0; cpu < processors; cpu++) {
        (void)pthread_join(all[cpu].thread, NULL);
    }
    const char *reason;
    const int kind = takt_machine_state(&machine, &reason);
    takt_machine_detach(&machine);
    if (kind != 0) {
        printf("the kernel ended the scheduler: %d %s\n", kind, reason);
    }
    for (uint32_t cpu = 0; cpu < processors; cpu++) {
        report(&all[cpu], folder, machine.desks[cpu].end_ns);
    }
    takt_machine_close(&machine);
    return 0;
}
