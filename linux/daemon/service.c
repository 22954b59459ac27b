/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The service of service.h. */
#define _GNU_SOURCE
#include "linux/daemon/service.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "linux/daemon/loaded.h"
#include "linux/lib/clock.h"

enum { NO_FILE = -1, PATH_BYTES = 256 };

#define REST_NS UINT64_C(1000000000) /* between two checks of threads */

static uint64_t now_ns(void) { return takt_clock_read(CLOCK_MONOTONIC); }

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Writes a text to a reply; what is too long is cut. */
__attribute__((format(printf, 2, 3))) static void write_text(takt_socket_reply_t *reply, const char *format,
                                                             ...) {
    va_list values;
    va_start(values, format);
    (void)vsnprintf(reply->text, sizeof reply->text, format, values);
    va_end(values);
}

/* ---- threads -------------------------------------------------------------------------------------------- */

static bool is_thread_of(int32_t thread, pid_t process) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d", process, thread);
    return thread > 0 && access(path, F_OK) == 0;
}

/* Takes the binding of the client's thread, which is in the fair class afterwards. */
static void unbind(takt_service_t *service, takt_client_t *client) {
    if (client->thread == 0) {
        return;
    }
    if (client->has_entered) {
        const struct sched_param none = {.sched_priority = 0};
        takt_machine_unbind(service->machine, client->thread);
        if (is_thread_of(client->thread, client->process) &&
            sched_getscheduler(client->thread) == TAKT_SLOT_CLASS_EXT) {
            (void)sched_setscheduler(client->thread, SCHED_OTHER, &none);
        }
    }
    client->thread = 0;
    client->has_entered = false;
}

/* ---- the set that is loaded --------------------------------------------------------------------------------- */

static bool has_domain(const takt_service_t *service, uint32_t cpu) {
    return cpu < service->machine->processors && service->parts[cpu].text != NULL;
}

/* Returns the first processor from `cpu` on that has a domain; TAKT_CPUS for none. */
static uint32_t domain_from(const takt_service_t *service, uint32_t cpu) {
    while (cpu < TAKT_CPUS && !has_domain(service, cpu)) {
        cpu++;
    }
    return cpu;
}

static uint32_t first_task(const takt_domain_t *domain) { return 1u + domain->system.server_count; }

static bool is_task(const takt_domain_t *domain, uint32_t entity) {
    return entity >= first_task(domain) && entity - first_task(domain) < domain->system.task_count;
}

/* Returns the name of `entity`, which the domain has. */
static const char *name_of(const takt_part_t *part, uint32_t entity) {
    const char *name = part->text;
    for (uint32_t i = 0; i < entity; i++) {
        name += strlen(name) + 1;
    }
    return name;
}

/* Forgets what was loaded. */
static void forget(takt_service_t *service) {
    for (uint32_t cpu = 0; cpu < TAKT_CPUS; cpu++) {
        free(service->parts[cpu].text);
        service->parts[cpu] = (takt_part_t){.text = NULL};
    }
    takt_machine_clear(service->machine);
    service->end_ns = 0;
    service->reason[0] = '\0';
}

static void end_trace(takt_service_t *service, uint32_t cpu, uint64_t at_ns) {
    const takt_shared_t *shared = &service->machine->shared[cpu];
    const uint64_t end = least_of(at_ns, shared->end_ns);
    service->parts[cpu].records =
        takt_machine_end(service->machine, cpu, end > shared->epoch_ns ? end : shared->epoch_ns);
}

static void detach(takt_service_t *service) {
    const char *reason;
    const uint64_t at_ns = now_ns();
    (void)snprintf(service->reason, sizeof service->reason, "%s",
                   takt_machine_state(service->machine, &reason) != 0 ? reason : "");
    takt_machine_detach(service->machine);
    for (int i = 0; i < TAKT_CLIENTS; i++) {
        unbind(service, &service->clients[i]);
    }
    for (uint32_t cpu = domain_from(service, 0); cpu < TAKT_CPUS && service->state == TAKT_DAEMON_ATTACHED;
         cpu = domain_from(service, cpu + 1)) {
        end_trace(service, cpu, at_ns);
    }
    service->state = TAKT_DAEMON_IDLE;
}

static bool have_all_joined(const takt_service_t *service) {
    uint32_t missing = 0;
    for (uint32_t cpu = domain_from(service, 0); cpu < TAKT_CPUS; cpu = domain_from(service, cpu + 1)) {
        missing += takt_machine_domain(service->machine, cpu)->system.task_count;
        missing -= service->machine->shared[cpu].others != TAKT_SHARED_NONE;
    }
    for (int i = 0; i < TAKT_CLIENTS; i++) {
        missing -= service->clients[i].thread != 0;
    }
    return missing == 0;
}

/* Sets instant 0, if that is possible. */
static void begin_if_due(takt_service_t *service) {
    if (service->state != TAKT_DAEMON_WAITS || (service->waits_for_all && !have_all_joined(service))) {
        return;
    }
    const uint64_t epoch = now_ns() + takt_machine_lead(service->machine);
    uint64_t left = INT64_MAX - epoch;
    for (uint32_t cpu = domain_from(service, 0); cpu < TAKT_CPUS; cpu = domain_from(service, cpu + 1)) {
        const uint64_t horizon = takt_machine_domain(service->machine, cpu)->program.horizon;
        left = least_of(left, least_of(horizon, left / service->machine->shared[cpu].tick_ns) *
                                  service->machine->shared[cpu].tick_ns);
    }
    service->end_ns = epoch + left;
    takt_machine_begin(service->machine, epoch, service->end_ns);
    service->state = TAKT_DAEMON_ATTACHED;
}

/* ---- calls of programs ---------------------------------------------------------------------------------------- */

/* Returns the task of `cpu` that has `name`, TAKT_SHARED_NONE for none. */
static uint32_t task_of(const takt_service_t *service, uint32_t cpu, const char *name) {
    const takt_domain_t *domain = takt_machine_domain(service->machine, cpu);
    for (uint32_t entity = first_task(domain); is_task(domain, entity); entity++) {
        if (strcmp(name_of(&service->parts[cpu], entity), name) == 0) {
            return entity;
        }
    }
    return TAKT_SHARED_NONE;
}

/* Finds the task of a JOIN. */
static bool find_task(const takt_service_t *service, const takt_socket_call_t *call, uint32_t *cpu,
                      uint32_t *entity) {
    *cpu = domain_from(service, 0);
    if (call->name[0] == '\0') { /* a number is that of one domain */
        *entity = call->entity;
        return *cpu < TAKT_CPUS && is_task(takt_machine_domain(service->machine, *cpu), *entity) &&
               domain_from(service, *cpu + 1) == TAKT_CPUS;
    }
    for (; *cpu < TAKT_CPUS; *cpu = domain_from(service, *cpu + 1)) {
        *entity = task_of(service, *cpu, call->name);
        if (*entity != TAKT_SHARED_NONE) {
            return true;
        }
    }
    return false;
}

/* Returns the client whose thread executes the jobs of a task; NULL for none. */
static takt_client_t *holder_of(takt_service_t *service, uint32_t cpu, uint32_t entity) {
    for (int i = 0; i < TAKT_CLIENTS; i++) {
        takt_client_t *client = &service->clients[i];
        if (client->thread != 0 && client->cpu == cpu && client->entity == entity) {
            return client;
        }
    }
    return NULL;
}

static bool has_joined(const takt_service_t *service, int32_t thread) {
    for (int i = 0; i < TAKT_CLIENTS; i++) {
        if (service->clients[i].thread == thread) {
            return true;
        }
    }
    return false;
}

/* Returns whether another thread executes the jobs of a task, or many do; one that is gone does not. */
static bool is_held(takt_service_t *service, uint32_t cpu, uint32_t entity) {
    takt_client_t *holder = holder_of(service, cpu, entity);
    if (holder != NULL && !is_thread_of(holder->thread, holder->process)) {
        unbind(service, holder);
        return false;
    }
    return holder != NULL || entity == service->machine->shared[cpu].others;
}

static takt_reply_status_t join(takt_service_t *service, takt_client_t *client,
                                const takt_socket_call_t *call, takt_socket_reply_t *reply, int *file) {
    uint32_t cpu, entity;
    if (service->state == TAKT_DAEMON_IDLE) {
        return TAKT_REPLY_DETACHED;
    }
    if (!is_thread_of(call->thread, client->process)) {
        return TAKT_REPLY_FOREIGN;
    }
    if (client->thread != 0 || has_joined(service, call->thread)) {
        return TAKT_REPLY_JOINED;
    }
    if (!find_task(service, call, &cpu, &entity)) {
        return TAKT_REPLY_NAME;
    }
    if (is_held(service, cpu, entity)) {
        return TAKT_REPLY_TAKEN;
    }
    takt_linux_slot_t *slot = takt_machine_slot(service->machine, cpu, entity);
    memset(slot, 0, offsetof(takt_linux_slot_t, receipt)); /* the half of the thread */
    client->thread = call->thread;
    client->cpu = cpu;
    client->entity = entity;
    reply->cpu = cpu;
    reply->entity = entity;
    reply->slot_offset = (uint64_t)((char *)slot - (char *)service->machine->slots);
    *file = takt_machine_slots_file(service->machine);
    begin_if_due(service);
    return TAKT_REPLY_OK;
}

static takt_reply_status_t enter(takt_service_t *service, takt_client_t *client) {
    if (service->state == TAKT_DAEMON_IDLE) {
        return TAKT_REPLY_DETACHED;
    }
    if (client->thread == 0) {
        return TAKT_REPLY_NOT_JOINED;
    }
    if (service->state == TAKT_DAEMON_WAITS) {
        return TAKT_REPLY_NOT_BEGUN;
    }
    client->has_entered = true;
    return takt_machine_bind(service->machine, client->thread, client->cpu, client->entity)
               ? TAKT_REPLY_OK
               : TAKT_REPLY_KERNEL;
}

static takt_reply_status_t leave(takt_service_t *service, takt_client_t *client) {
    if (client->thread == 0) {
        return TAKT_REPLY_NOT_JOINED;
    }
    unbind(service, client);
    return TAKT_REPLY_OK;
}

/* ---- calls of tools ------------------------------------------------------------------------------------------- */

static takt_reply_status_t write_processor(const takt_service_t *service, const takt_socket_call_t *call,
                                           takt_socket_reply_t *reply) {
    const takt_machine_t *machine = service->machine;
    takt_processor_status_t *status = &reply->of.processor;
    *status = (takt_processor_status_t){
        .daemon = (uint32_t)getpid(), .state = (uint32_t)service->state, .is_full = machine->is_full};
    write_text(reply, "%s", service->reason);
    const uint32_t cpu = domain_from(service, call->cpu);
    if (cpu >= TAKT_CPUS) {
        return TAKT_REPLY_NOTHING;
    }
    const takt_shared_t *shared = &machine->shared[cpu];
    const takt_domain_t *domain = takt_machine_domain(machine, cpu);
    reply->cpu = cpu;
    status->epoch_ns = service->end_ns != 0 ? shared->epoch_ns : 0;
    status->decisions = shared->takes;
    status->mismatches = shared->mismatches;
    status->absences = shared->absences;
    status->refused = shared->refused;
    status->stolen_ns = shared->stolen_ns;
    status->stolen = shared->stolen;
    status->orphans = shared->orphans;
    status->lost = shared->lost;
    status->visits = shared->visits;
    status->records = domain->log.written;
    status->records_lost = domain->log.lost;
    status->entities = shared->entities;
    status->running = shared->running;
    status->first_task = first_task(domain);
    return TAKT_REPLY_OK;
}

static takt_reply_status_t write_task(takt_service_t *service, const takt_socket_call_t *call,
                                      takt_socket_reply_t *reply) {
    if (!has_domain(service, call->cpu) ||
        !is_task(takt_machine_domain(service->machine, call->cpu), call->entity)) {
        return TAKT_REPLY_NAME;
    }
    const takt_client_t *holder = holder_of(service, call->cpu, call->entity);
    const takt_linux_slot_t *slot = takt_machine_slot(service->machine, call->cpu, call->entity);
    reply->cpu = call->cpu;
    reply->entity = call->entity;
    reply->of.task = (takt_task_status_t){
        .release_ns = slot->release_ns,
        .deadline_ns = slot->deadline_ns,
        .next_release_ns = slot->next_release_ns,
        .thread = holder != NULL ? holder->thread : 0,
        .job = slot->job,
        .state = slot->state,
        .waiting = slot->waiting,
        .started = slot->started,
        .is_missed = slot->is_missed,
    };
    write_text(reply, "%s", name_of(&service->parts[call->cpu], call->entity));
    return TAKT_REPLY_OK;
}

/* Reads the first line of a file of sched_ext into `line`, which is empty if there is none. */
static void read_line(const takt_service_t *service, const char *name, char *line, size_t bytes) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", service->machine->folder, name);
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (file != NULL) {
        if (fgets(line, (int)bytes, file) != NULL) {
            line[strcspn(line, "\n")] = '\0';
        }
        (void)fclose(file);
    }
}

/* Returns whether a scheduler is attached to this Linux, and writes its name. */
static bool has_other(const takt_service_t *service, takt_socket_reply_t *reply) {
    char state[16], name[64];
    read_line(service, "state", state, sizeof state);
    read_line(service, "root/ops", name, sizeof name);
    write_text(reply, "%s", name[0] != '\0' ? name : "one without a name");
    return state[0] != '\0' && strcmp(state, "disabled") != 0;
}

static int index_of(const takt_service_t *service, const takt_client_t *client) {
    return (int)(client - service->clients);
}

/* Builds the domain of `cpu`. */
static takt_reply_status_t build(takt_service_t *service, const takt_socket_call_t *call, takt_loaded_t *load,
                                 takt_socket_reply_t *reply) {
    takt_domain_order_t order;
    takt_machine_t *machine = service->machine;
    const takt_domain_status_t status =
        takt_machine_add(machine, call->cpu, load->words, load->parts.image_bytes / sizeof(uint64_t),
                         call->records, call->tick_ns, &order);
    if (status != TAKT_DOMAIN_OK) {
        write_text(reply, "%s", takt_domain_message(status));
        return TAKT_REPLY_REFUSED;
    }
    const uint32_t entities = machine->shared[call->cpu].entities;
    if (!takt_loaded_has_names(load, entities)) {
        machine->shared[call->cpu].domain = 0;
        write_text(reply, "each entity has a name of at most %d bytes", TAKT_NAME_BYTES - 1);
        return TAKT_REPLY_REFUSED;
    }
    service->parts[call->cpu] =
        (takt_part_t){load->text, load->parts.names_bytes, load->parts.header_bytes, 0};
    load->text = NULL;
    return TAKT_REPLY_OK;
}

static takt_reply_status_t add(takt_service_t *service, const takt_client_t *client,
                               const takt_socket_call_t *call, takt_socket_reply_t *reply, int file) {
    takt_loaded_t load = {.words = NULL};
    if (service->state != TAKT_DAEMON_IDLE ||
        (service->loader != TAKT_NO_CLIENT && service->loader != index_of(service, client))) {
        return TAKT_REPLY_ATTACHED;
    }
    if (call->cpu >= service->machine->processors) {
        write_text(reply, "there is no processor %u here, the last one is %u", call->cpu,
                   service->machine->processors - 1u);
        return TAKT_REPLY_REFUSED;
    }
    if (call->tick_ns == 0 || (service->loader != TAKT_NO_CLIENT && has_domain(service, call->cpu))) {
        return TAKT_REPLY_MESSAGE;
    }
    takt_reply_status_t status = TAKT_REPLY_MESSAGE;
    if (takt_loaded_read(&load, file)) {
        if (service->loader == TAKT_NO_CLIENT) {
            forget(service);
        }
        service->loader = index_of(service, client);
        status = build(service, call, &load, reply);
    }
    free(load.words);
    free(load.text);
    return status;
}

/* Finds the task that stands for the threads of no domain in each set that has it. */
static bool find_others(const takt_service_t *service, takt_socket_reply_t *reply) {
    bool is_found = service->others == NULL;
    for (uint32_t cpu = domain_from(service, 0); cpu < TAKT_CPUS; cpu = domain_from(service, cpu + 1)) {
        takt_shared_t *shared = &service->machine->shared[cpu];
        shared->others = service->others != NULL ? task_of(service, cpu, service->others) : TAKT_SHARED_NONE;
        shared->is_others_awake = shared->others != TAKT_SHARED_NONE;
        if ((takt_domain_state(shared->domain, shared->others) & TAKT_DOMAIN_PERIODIC) != 0) {
            write_text(reply, "task %s stands for the other threads, so it cannot be periodic",
                       service->others);
            return false;
        }
        is_found = is_found || shared->is_others_awake != 0;
    }
    if (!is_found) {
        write_text(reply, "no task is called %s, which is to stand for the other threads", service->others);
    }
    return is_found;
}

static takt_reply_status_t attach(takt_service_t *service, const takt_client_t *client,
                                  const takt_socket_call_t *call, takt_socket_reply_t *reply) {
    if (service->state != TAKT_DAEMON_IDLE) {
        return TAKT_REPLY_ATTACHED;
    }
    if (service->loader != index_of(service, client) || domain_from(service, 0) == TAKT_CPUS) {
        return TAKT_REPLY_NOTHING;
    }
    if (has_other(service, reply)) {
        return TAKT_REPLY_OTHER;
    }
    if (!find_others(service, reply)) {
        return TAKT_REPLY_REFUSED;
    }
    if (!takt_machine_attach(service->machine)) {
        write_text(reply, "%s: %s", service->machine->what, strerror(service->machine->error));
        return TAKT_REPLY_KERNEL;
    }
    service->loader = TAKT_NO_CLIENT;
    service->waits_for_all = (call->flags & TAKT_CALL_WHEN_JOINED) != 0;
    service->state = TAKT_DAEMON_WAITS;
    begin_if_due(service);
    return TAKT_REPLY_OK;
}

static bool write_all(int file, const void *data, uint64_t bytes) {
    const char *next = data;
    while (bytes > 0) {
        const ssize_t written = write(file, next, bytes);
        if (written <= 0) {
            return false;
        }
        next += written;
        bytes -= (uint64_t)written;
    }
    return true;
}

/* Requests for rates stand behind the records. */
static bool write_requests(const takt_service_t *service, uint32_t cpu, int file,
                           takt_socket_reply_t *reply) {
    takt_requested_t row;
    bool is_written = true;
    for (uint64_t i = 0; is_written && takt_machine_requested(service->machine, cpu, i, &row); i++) {
        is_written = write_all(file, &row, sizeof row);
        reply->of.words[0] += sizeof row;
    }
    return is_written;
}

static takt_reply_status_t hand_out_trace(takt_service_t *service, const takt_socket_call_t *call,
                                          takt_socket_reply_t *reply, int *file) {
    if (service->state != TAKT_DAEMON_IDLE) {
        return TAKT_REPLY_ATTACHED;
    }
    if (!has_domain(service, call->cpu) || service->parts[call->cpu].records == 0) {
        return TAKT_REPLY_NOTHING;
    }
    const takt_part_t *part = &service->parts[call->cpu];
    const takt_record_t *records = takt_machine_domain(service->machine, call->cpu)->log.records;
    *file = memfd_create("trace", MFD_CLOEXEC);
    if (*file < 0 || !write_all(*file, part->text + part->names_bytes, part->header_bytes) ||
        !write_all(*file, records, part->records * sizeof *records) ||
        !write_requests(service, call->cpu, *file, reply)) {
        return TAKT_REPLY_KERNEL;
    }
    return TAKT_REPLY_OK;
}

/* ---- messages ------------------------------------------------------------------------------------------------- */

/* One file descriptor, and no more: the room for the padding behind it would have another one. */
typedef union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
} control_t;

enum { CONTROL_BYTES = CMSG_LEN(sizeof(int)) };

static bool is_call(const takt_socket_call_t *call, ssize_t bytes) {
    return bytes == TAKT_CALL_BYTES && call->version == TAKT_PROTOCOL_VERSION &&
           call->kind >= TAKT_CALL_JOIN && call->kind <= TAKT_CALL_TRACE &&
           (call->flags & ~(uint32_t)TAKT_CALL_WHEN_JOINED) == 0 &&
           memchr(call->name, '\0', sizeof call->name) != NULL;
}

static bool is_allowed(const takt_client_t *client, uint32_t kind) {
    return kind < TAKT_CALL_ADD || client->user == 0 || client->user == geteuid();
}

/* Returns what becomes of a call. `file` came with it; `answer` is to be sent. */
static takt_reply_status_t decide(takt_service_t *service, takt_client_t *client,
                                  const takt_socket_call_t *call, int file, takt_socket_reply_t *reply,
                                  int *answer) {
    if (!is_allowed(client, call->kind)) {
        return TAKT_REPLY_ALLOWED;
    }
    switch ((takt_call_kind_t)call->kind) {
    case TAKT_CALL_JOIN:
        return join(service, client, call, reply, answer);
    case TAKT_CALL_ENTER:
        return enter(service, client);
    case TAKT_CALL_LEAVE:
        return leave(service, client);
    case TAKT_CALL_STATUS:
        return write_processor(service, call, reply);
    case TAKT_CALL_TASK:
        return write_task(service, call, reply);
    case TAKT_CALL_ADD:
        return add(service, client, call, reply, file);
    case TAKT_CALL_ATTACH:
        return attach(service, client, call, reply);
    case TAKT_CALL_DETACH:
        if (service->state == TAKT_DAEMON_IDLE) {
            return TAKT_REPLY_DETACHED;
        }
        detach(service);
        return TAKT_REPLY_OK;
    default:
        return hand_out_trace(service, call, reply, answer);
    }
}

static void drop(takt_service_t *service, takt_client_t *client) {
    unbind(service, client);
    if (service->loader == index_of(service, client)) {
        service->loader = TAKT_NO_CLIENT;
        forget(service);
    }
    (void)close(client->connection);
    client->connection = -1;
}

/* A client that does not read its replies is dropped. */
static bool send_reply(const takt_client_t *client, takt_socket_reply_t *reply, int file) {
    control_t control = {.bytes = {0}};
    struct iovec part = {.iov_base = reply, .iov_len = sizeof *reply};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file != NO_FILE) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_len = CONTROL_BYTES;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    }
    return sendmsg(client->connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof *reply;
}

/* Receives a message of one call, and the file that comes with it, which the caller closes; also an empty message can have
 * one. Returns its bytes, 0 at the end of the connection. */
static ssize_t receive(const takt_client_t *client, takt_socket_call_t *call, int *file) {
    control_t control;
    struct iovec part = {.iov_base = call, .iov_len = sizeof *call};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CONTROL_BYTES};
    const ssize_t bytes = recvmsg(client->connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = bytes >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *file = NO_FILE;
    if (header != NULL && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CONTROL_BYTES) {
        memcpy(file, CMSG_DATA(header), sizeof *file);
    }
    return (message.msg_flags & MSG_TRUNC) != 0 ? bytes + 1 : bytes;
}

/* Judges a message of `bytes` bytes and replies. */
static void answer_call(takt_service_t *service, takt_client_t *client, const takt_socket_call_t *call,
                        ssize_t bytes, int file) {
    int answer = NO_FILE;
    takt_socket_reply_t reply = {.version = TAKT_PROTOCOL_VERSION, .status = TAKT_REPLY_MESSAGE};
    reply.kind = (size_t)bytes >= 2 * sizeof call->kind ? call->kind : 0;
    if (is_call(call, bytes)) {
        reply.status = (uint32_t)decide(service, client, call, file, &reply, &answer);
    }
    if (!send_reply(client, &reply, reply.status == TAKT_REPLY_OK ? answer : NO_FILE)) {
        drop(service, client);
    }
    if (answer != NO_FILE && call->kind == TAKT_CALL_TRACE) {
        (void)close(answer);
    }
}

void takt_service_serve(takt_service_t *service, takt_client_t *client) {
    takt_socket_call_t call;
    int file;
    const ssize_t bytes = receive(client, &call, &file);
    if (bytes > 0) {
        answer_call(service, client, &call, bytes, file);
    } else if (bytes == 0 || (errno != EAGAIN && errno != EINTR)) {
        drop(service, client);
    }
    if (file != NO_FILE) {
        (void)close(file);
    }
}

/* ---- all clients ---------------------------------------------------------------------------------------------- */

void takt_service_open(takt_service_t *service, takt_machine_t *machine, int most) {
    service->machine = machine;
    service->most = most;
    service->loader = TAKT_NO_CLIENT;
    for (int i = 0; i < TAKT_CLIENTS; i++) {
        service->clients[i].connection = -1;
    }
}

/* Returns a place for one more connection of `user`: of root if there is any, of others within their quota and beside what is
 * kept for root. NULL for none. */
static takt_client_t *place_for(takt_service_t *service, uid_t user) {
    takt_client_t *place = NULL;
    int of_user = 0, of_others = 0;
    for (int i = 0; i < service->most; i++) {
        takt_client_t *client = &service->clients[i];
        const bool is_free = client->connection < 0;
        place = is_free && place == NULL ? client : place;
        of_user += !is_free && client->user == user;
        of_others += !is_free && client->user != 0;
    }
    const bool has_quota = of_user < takt_service_quota(service->most) &&
                           of_others < service->most - takt_service_kept(service->most);
    return user == 0 || has_quota ? place : NULL;
}

void takt_service_admit(takt_service_t *service, int connection) {
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    const bool is_known = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0;
    takt_client_t *client = is_known ? place_for(service, peer.uid) : NULL;
    if (client != NULL) {
        *client = (takt_client_t){.connection = connection, .process = peer.pid, .user = peer.uid};
    } else {
        (void)close(connection);
    }
}

void takt_service_attend(takt_service_t *service) {
    const char *reason;
    if (service->state == TAKT_DAEMON_IDLE) {
        return;
    }
    if (takt_machine_state(service->machine, &reason) != 0 ||
        (service->state == TAKT_DAEMON_ATTACHED && now_ns() >= service->end_ns)) {
        detach(service);
        return;
    }
    for (int i = 0; i < TAKT_CLIENTS; i++) {
        takt_client_t *client = &service->clients[i];
        if (client->thread != 0 && !is_thread_of(client->thread, client->process)) {
            unbind(service, client);
        }
    }
}

uint64_t takt_service_next(const takt_service_t *service) {
    if (service->state == TAKT_DAEMON_IDLE) {
        return UINT64_MAX;
    }
    const uint64_t next = now_ns() + REST_NS;
    return service->state == TAKT_DAEMON_ATTACHED ? least_of(next, service->end_ns) : next;
}

void takt_service_close(takt_service_t *service) {
    if (service->state != TAKT_DAEMON_IDLE) {
        detach(service);
    }
    for (int i = 0; i < TAKT_CLIENTS; i++) {
        if (service->clients[i].connection >= 0) {
            drop(service, &service->clients[i]);
        }
    }
    forget(service);
}
