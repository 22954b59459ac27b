/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs task sets as threads of this machine, one image for each processor, and writes what happened.
 *
 * usage: takt-linux OBJECT TABLES FOLDER TICK_NS IMAGE...
 *        takt-linux OBJECT TABLES LIST
 *        takt-linux OBJECT TABLES FOLDER TICK_NS IMAGE -- COMMAND...
 *        takt-linux OBJECT TABLES
 *
 * The last one loads all programs of OBJECT, and ends; else the smallest of it and of those beside it that has what the images
 * need is loaded (machine.h).
 * In full mode, if TAKT_LINUX_FULL is set in the environment, threads of the fair class are scheduled too. If TAKT_LINUX_FOLLOWED
 * is, no job runs ahead of its domain. After each run of
 * LIST the command is executed that TAKT_LINUX_AFTER begins, and that ends with FOLDER.
 * The image at place i is for processor i. LIST is a file of runs, one a line, as FOLDER TICK_NS OVERHEAD_NS IMAGE...: the
 * programs are loaded once for all of them, and each job executes OVERHEAD_NS less than the image says. The threads of COMMAND
 * get the tasks of the image (clients.h), and its exit status is that of the program. Files in FOLDER, which is made:
 *
 *     trace<i>      records, the closing one included
 *     jobs<i>       takt_program_job_t
 *     switches<i>   takt_switch_t
 *     threads<i>    a line for each task: its entity, its thread
 *     report        lines of text: "epoch NS"; "processor I STATUS JOBS DECISIONS MISMATCHES ABSENCES REFUSED
 *                   INPUTS_REFUSED LOST SWITCHES MESSAGE"; "program NAME CALLS NS" since loading, of those of the kernel,
 *                   if kernel.bpf_stats_enabled is set; "note TEXT" about a processor, where there is something to
 *                   say; or one that begins with "refused" or "failed" */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/daemon/clients.h"
#include "linux/lib/clock.h"
#include "linux/program/program.h"

enum { STATUS_REFUSED = 2, STATUS_FAILED = 3, JOBS = 200000, RECORDS = 400000, NAME = 512, LINE = 4096 };

enum { PROGRAMS = 32 /* of the object, at most */ };

enum { BEFORE_IMAGES = 3 /* words in a line of the list */ };

enum { DETACHED = 64 /* SCX_EXIT_UNREG: of takt_machine_state */ };

#define NS_PER_MS 1000000u

typedef struct run run_t;

typedef struct processor {
    run_t *run;
    uint32_t cpu;
    uint64_t *words;
    uint64_t count;
    takt_linux_place_t *places;
    int32_t *threads; /* of the places; they stay when the threads have left */
    takt_linux_table_t table;
    takt_linux_transport_t transport;
    takt_program_run_t program;
    takt_program_status_t status;
    bool has_begun;
    pthread_t thread;
} processor_t;

struct run {
    takt_machine_t *machine;
    const char *folder;
    FILE *report;
    uint64_t tick_ns;
    uint64_t overhead_ns;
    uint32_t count;
    char **command; /* whose threads get the tasks; NULL: threads are created */
    int status;     /* its exit status */
    processor_t processors[TAKT_CPUS];
    pthread_barrier_t all_joined;
    uint64_t epoch_ns;
};

static _Noreturn void end(int status, const char *what, const char *detail) {
    fprintf(stderr, "takt-linux: %s%s%s\n", what, *detail != '\0' ? ": " : "", detail);
    exit(status);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

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

static FILE *open_file(const run_t *run, const char *name) {
    char path[NAME];
    (void)snprintf(path, sizeof path, "%s/%s", run->folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        end(STATUS_FAILED, path, strerror(errno));
    }
    return file;
}

static FILE *open_numbered(const run_t *run, const char *name, uint32_t cpu) {
    char numbered[32];
    (void)snprintf(numbered, sizeof numbered, "%s%u", name, cpu);
    return open_file(run, numbered);
}

static void close_file(FILE *file) {
    if (fclose(file) != 0) {
        end(STATUS_FAILED, "the results cannot be written", strerror(errno));
    }
}

static void write_file(const run_t *run, const char *name, uint32_t cpu, const void *data, size_t bytes) {
    FILE *file = open_numbered(run, name, cpu);
    (void)fwrite(data, 1, bytes, file);
    close_file(file);
}

/* Writes a line for tools, and prints it for people. */
__attribute__((format(printf, 2, 3))) static void write_line(const run_t *run, const char *format, ...) {
    char line[LINE];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(line, sizeof line, format, values);
    va_end(values);
    fprintf(run->report, "%s\n", line);
    printf("%s: %s\n", run->folder, line);
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

static bool bind_thread(void *context, const takt_linux_place_t *place, int32_t thread, bool is_bound) {
    processor_t *processor = context;
    takt_machine_t *machine = processor->run->machine;
    if (!is_bound) {
        takt_machine_unbind(machine, thread);
        return true;
    }
    processor->threads[place - processor->places] = thread;
    return takt_machine_bind(machine, thread, processor->cpu, place->entity);
}

/* All threads of this processor have joined, or cannot. The last processor sets instant 0. */
static uint64_t begin(void *context) {
    processor_t *processor = context;
    run_t *run = processor->run;
    processor->has_begun = true;
    if (pthread_barrier_wait(&run->all_joined) == PTHREAD_BARRIER_SERIAL_THREAD) {
        const takt_domain_t *domain = takt_machine_domain(run->machine, processor->cpu);
        run->epoch_ns = takt_clock_read(CLOCK_MONOTONIC) + takt_machine_lead(run->machine);
        takt_machine_begin(run->machine, run->epoch_ns,
                           run->epoch_ns + domain->program.horizon * run->tick_ns);
    }
    (void)pthread_barrier_wait(&run->all_joined);
    return run->epoch_ns;
}

/* Lets the threads of a command have the tasks. */
static void run_clients(processor_t *processor) {
    run_t *run = processor->run;
    const uint64_t epoch_ns = begin(processor);
    takt_clients_t clients = {
        .machine = run->machine,
        .cpu = processor->cpu,
        .first = processor->places[0].entity,
        .count = processor->table.count,
        .threads = processor->threads,
        .begin_ns = epoch_ns,
        .end_ns = run->machine->shared[processor->cpu].end_ns,
    };
    if (!takt_clients_run(&clients, run->command)) {
        end(STATUS_FAILED, run->command[0], "no privilege for SCHED_FIFO, or no process");
    }
    run->status = takt_clients_await(&clients);
    if (clients.refuse != NULL) {
        write_line(run, "failed the kernel refuses %s", clients.refuse);
    }
}

static void *run_processor(void *context) {
    processor_t *processor = context;
    if (processor->run->command != NULL) {
        run_clients(processor);
        return NULL;
    }
    processor->status = takt_program_run(&processor->program);
    if (!processor->has_begun) {
        (void)begin(processor); /* the others wait for it */
    }
    return NULL;
}

static void place_tasks(processor_t *processor) {
    const takt_machine_t *machine = processor->run->machine;
    const takt_domain_t *domain = takt_machine_domain(machine, processor->cpu);
    const uint32_t first = 1u + domain->system.server_count, count = domain->system.task_count;
    processor->places = calloc(count, sizeof *processor->places);
    processor->threads = calloc(count, sizeof *processor->threads);
    for (uint32_t i = 0; i < count; i++) {
        processor->places[i] = (takt_linux_place_t){
            .entity = first + i,
            .cpu = (int32_t)processor->cpu,
            .slot = takt_machine_slot(machine, processor->cpu, first + i),
        };
    }
    processor->table = (takt_linux_table_t){processor->places, count, processor, bind_thread};
    processor->transport = takt_linux_table(&processor->table);
    processor->program = (takt_program_run_t){
        .words = processor->words,
        .count = processor->count,
        .transport = &processor->transport,
        .jobs = calloc(JOBS, sizeof(takt_program_job_t)),
        .job_limit = JOBS,
        .overhead_ns = processor->run->overhead_ns,
        .context = processor,
        .begin = begin,
    };
}

/* ---- one run ---------------------------------------------------------------------------------------------- */

static void write_threads(const processor_t *processor) {
    FILE *file = open_numbered(processor->run, "threads", processor->cpu);
    for (uint32_t i = 0; i < processor->table.count; i++) {
        fprintf(file, "%u %d\n", processor->places[i].entity, processor->threads[i]);
    }
    close_file(file);
}

/* Names what happened to threads that the schedule does not say. */
static void note(const run_t *run, uint32_t cpu) {
    const takt_shared_t *shared = &run->machine->shared[cpu];
    if (shared->stolen > 0) {
        write_line(
            run,
            "note processor %u: other classes took the processor from a job %llu times, %llu us together",
            cpu, (unsigned long long)shared->stolen, (unsigned long long)shared->stolen_ns / 1000);
    }
    if (shared->absences > 0) {
        write_line(run, "note processor %u: the thread of the selected job could not run at once %llu times",
                   cpu, (unsigned long long)shared->absences);
    }
    if (shared->orphans > 0) {
        write_line(run,
                   "note processor %u: %llu jobs were ended because their threads were gone or did not run",
                   cpu, (unsigned long long)shared->orphans);
    }
    if (shared->misforeseen > 0) {
        write_line(run, "failed processor %u: the scheduler decided otherwise than was foreseen %llu times",
                   cpu, (unsigned long long)shared->misforeseen);
    }
    if (shared->visits > 0) {
        write_line(
            run,
            "note processor %u: threads that had waited for 4 s were switched to for a moment %llu times",
            cpu, (unsigned long long)shared->visits);
    }
}

static void report(const processor_t *processor) {
    const run_t *run = processor->run;
    takt_machine_t *machine = run->machine;
    const uint32_t cpu = processor->cpu;
    const takt_shared_t *shared = &machine->shared[cpu];
    const uint64_t records = takt_machine_end(machine, cpu, shared->end_ns);
    const takt_domain_t *domain = takt_machine_domain(machine, cpu);
    write_file(run, "trace", cpu, domain->log.records, records * sizeof(takt_record_t));
    write_file(run, "jobs", cpu, processor->program.jobs,
               processor->program.job_count * sizeof(takt_program_job_t));
    write_file(run, "switches", cpu, machine->switches + (size_t)cpu * TAKT_SWITCHES,
               shared->switches * sizeof(takt_switch_t));
    write_threads(processor);
    write_line(run, "processor %u %u %u %llu %llu %llu %llu %u %llu %llu %s", cpu, processor->status,
               processor->program.job_count, (unsigned long long)shared->takes,
               (unsigned long long)shared->mismatches, (unsigned long long)shared->absences,
               (unsigned long long)shared->refused, domain->refused, (unsigned long long)domain->log.lost,
               (unsigned long long)shared->switches, takt_program_message(processor->status));
    note(run, cpu);
}

/* Builds the domain of `processor` from its image. Returns whether that is possible. */
static bool add(processor_t *processor, const char *image) {
    run_t *run = processor->run;
    takt_domain_order_t order;
    processor->words = read_words(image, &processor->count);
    const takt_domain_status_t status = takt_machine_add(run->machine, processor->cpu, processor->words,
                                                         processor->count, RECORDS, run->tick_ns, &order);
    run->machine->shared[processor->cpu].is_followed = getenv("TAKT_LINUX_FOLLOWED") != NULL;
    if (status != TAKT_DOMAIN_OK) {
        write_line(
            run, "refused %s",
            status == TAKT_DOMAIN_IMAGE ? takt_image_message(order.image) : takt_domain_message(status));
    }
    return status == TAKT_DOMAIN_OK;
}

static void free_processor(processor_t *processor) {
    free(processor->words);
    free(processor->places);
    free(processor->threads);
    free(processor->program.jobs);
}

static void execute(run_t *run) {
    (void)pthread_barrier_init(&run->all_joined, NULL, run->count);
    for (uint32_t cpu = 0; cpu < run->count; cpu++) {
        place_tasks(&run->processors[cpu]);
        (void)pthread_create(&run->processors[cpu].thread, NULL, run_processor, &run->processors[cpu]);
    }
    for (uint32_t cpu = 0; cpu < run->count; cpu++) {
        (void)pthread_join(run->processors[cpu].thread, NULL);
    }
    (void)pthread_barrier_destroy(&run->all_joined);
    const char *reason;
    takt_machine_detach(run->machine); /* the kernel has said then why it ended the scheduler before */
    const int kind = takt_machine_state(run->machine, &reason);
    if (kind != 0 && kind != DETACHED) {
        write_line(run, "failed the kernel ended the scheduler: %s", reason);
    }
    write_line(run, "epoch %llu", (unsigned long long)run->epoch_ns);
    takt_cost_t cost;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        if (takt_machine_cost(run->machine, i, &cost)) {
            write_line(run, "program %s %llu %llu", cost.name, (unsigned long long)cost.calls,
                       (unsigned long long)cost.ns);
        }
    }
    for (uint32_t cpu = 0; cpu < run->count; cpu++) {
        report(&run->processors[cpu]);
    }
}

/* Runs `count` images. Returns an exit status. */
static int run_images(takt_machine_t *machine, const char *folder, uint64_t tick_ns, uint64_t overhead_ns,
                      uint32_t count, char **images, char **command) {
    static run_t run;
    run = (run_t){.machine = machine,
                  .folder = folder,
                  .tick_ns = tick_ns,
                  .overhead_ns = overhead_ns,
                  .count = count,
                  .command = command};
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) {
        end(STATUS_FAILED, folder, strerror(errno));
    }
    run.report = open_file(&run, "report");
    takt_machine_clear(machine);
    bool is_built = true;
    for (uint32_t cpu = 0; cpu < count && is_built; cpu++) {
        run.processors[cpu].run = &run;
        run.processors[cpu].cpu = cpu;
        is_built = add(&run.processors[cpu], images[cpu]);
    }
    const bool is_attached = is_built && takt_machine_attach(machine);
    if (is_attached) {
        execute(&run);
    } else if (is_built) {
        write_line(&run, "failed %s: %s", machine->what, strerror(machine->error));
    }
    for (uint32_t cpu = 0; cpu < count; cpu++) {
        free_processor(&run.processors[cpu]);
    }
    close_file(run.report);
    return is_attached ? run.status : is_built ? STATUS_FAILED : STATUS_REFUSED;
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

/* Finds what the domains of `count` images call, which is what is loaded. */
static void survey(takt_uses_t *uses, const char *tables, uint32_t count, char **images) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t words;
        uint64_t *image = read_words(images[i], &words);
        if (!takt_machine_survey(uses, tables, image, words)) {
            end(STATUS_FAILED, "the tables of the scheduler cannot be read", tables);
        }
        free(image);
    }
}

static void load(takt_machine_t *machine, char **arguments, uint32_t processors, const takt_uses_t *uses) {
    const uint64_t before = takt_clock_read(CLOCK_MONOTONIC);
    machine->is_full = getenv("TAKT_LINUX_FULL") != NULL;
    machine->uses = uses;
    if (!takt_machine_open(machine, arguments[1], arguments[2], processors, true)) {
        end(STATUS_FAILED, machine->what, strerror(machine->error));
    }
    printf("loaded in %llu ms\n",
           (unsigned long long)(takt_clock_read(CLOCK_MONOTONIC) - before) / NS_PER_MS);
}

/* Splits a line into at most `limit` words. Returns how many there are. */
static uint32_t split(char *line, char **words, uint32_t limit) {
    uint32_t count = 0;
    char *rest = line;
    for (char *word = strtok_r(rest, " \n", &rest); word != NULL && count < limit;
         word = strtok_r(NULL, " \n", &rest)) {
        words[count++] = word;
    }
    return count;
}

/* Reads the next line of a list. Returns how many words it has, 0 at the end. */
static uint32_t read_run(FILE *file, const char *name, char *line, char **words) {
    if (fgets(line, LINE, file) == NULL) {
        return 0;
    }
    const uint32_t count = split(line, words, BEFORE_IMAGES + TAKT_CPUS);
    if (count <= BEFORE_IMAGES) {
        end(STATUS_REFUSED, name, "a line has a folder, two numbers and images");
    }
    return count;
}

static FILE *open_list(const char *name) {
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        end(STATUS_REFUSED, name, strerror(errno));
    }
    return file;
}

/* Surveys the images of each line of the file `name`. */
static void survey_list(takt_uses_t *uses, const char *tables, const char *name) {
    static char line[LINE];
    char *words[BEFORE_IMAGES + TAKT_CPUS];
    uint32_t count;
    FILE *file = open_list(name);
    while ((count = read_run(file, name, line, words)) != 0) {
        survey(uses, tables, count - BEFORE_IMAGES, words + BEFORE_IMAGES);
    }
    (void)fclose(file);
}

/* Has TAKT_LINUX_AFTER, the beginning of a command, take the results of a run, if it is set. */
static void hand_over(const char *folder) {
    const char *beginning = getenv("TAKT_LINUX_AFTER");
    char command[LINE];
    if (beginning == NULL) {
        return;
    }
    (void)snprintf(command, sizeof command, "%s%s", beginning, folder);
    if (system(command) != 0) {
        end(STATUS_FAILED, folder, "the results cannot be handed over");
    }
}

/* Runs each line of the file `name`. Returns an exit status, that of the first run that fails. */
static int run_list(takt_machine_t *machine, const char *name) {
    static char line[LINE];
    char *words[BEFORE_IMAGES + TAKT_CPUS];
    uint32_t count;
    int worst = 0;
    FILE *file = open_list(name);
    while ((count = read_run(file, name, line, words)) != 0) {
        const int status =
            run_images(machine, words[0], strtoull(words[1], NULL, 10), strtoull(words[2], NULL, 10),
                       count - BEFORE_IMAGES, words + BEFORE_IMAGES, NULL);
        hand_over(words[0]);
        worst = worst != 0 ? worst : status;
    }
    (void)fclose(file);
    return worst;
}

/* Returns the command behind `--`, and leaves the words before; NULL if there is none. */
static char **split_off_command(int *count, char **arguments) {
    for (int i = 1; i + 1 < *count; i++) {
        if (strcmp(arguments[i], "--") == 0) {
            *count = i;
            return arguments + i + 1;
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    static takt_machine_t machine;
    static takt_uses_t uses;
    char **command = split_off_command(&count, arguments);
    const bool is_list = count == 4 && command == NULL, is_check = count == 3 && command == NULL;
    if (!is_list && !is_check && (count < 6 || count - 5 > (command != NULL ? 1 : TAKT_CPUS))) {
        end(STATUS_REFUSED,
            "usage: takt-linux OBJECT TABLES FOLDER TICK_NS IMAGE... or OBJECT TABLES LIST or "
            "OBJECT TABLES FOLDER TICK_NS IMAGE -- COMMAND... or OBJECT TABLES",
            "");
    }
    if (is_check) {
        load(&machine, arguments, 1, NULL);
        takt_machine_close(&machine);
        return 0;
    }
    const uint32_t processors = is_list ? (uint32_t)sysconf(_SC_NPROCESSORS_CONF) : (uint32_t)count - 5;
    if (is_list) {
        survey_list(&uses, arguments[2], arguments[3]);
    } else {
        survey(&uses, arguments[2], processors, arguments + 5);
    }
    load(&machine, arguments, processors, &uses);
    const int status = is_list ? run_list(&machine, arguments[3])
                               : run_images(&machine, arguments[3], strtoull(arguments[4], NULL, 10), 0,
                                            processors, arguments + 5, command);
    takt_machine_close(&machine);
    return status;
}
