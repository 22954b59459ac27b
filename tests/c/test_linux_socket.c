/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* libtakt's transport to taktd against a server that replies by a script: each status, and what a daemon of another version
 * or one that ends may do. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "linux/lib/takt_linux.h"
#include "linux/protocol.h"
#include "linux/slot.h"

enum { SLOTS = 100, OWN = 70, CALLS = 8 };

/* ---- what the thread does beside ------------------------------------------------------------------------ */

bool __wrap_takt_linux_set_class(int32_t thread, bool is_ext);
bool __wrap_takt_linux_set_class(int32_t thread, bool is_ext) {
    return thread == gettid() && (is_ext || true);
}

bool __wrap_takt_linux_bind(int32_t cpu);
bool __wrap_takt_linux_bind(int32_t cpu) { return cpu == 2; }

bool __wrap_takt_linux_lock_memory(void);
bool __wrap_takt_linux_lock_memory(void) { return true; }

/* ---- the server ----------------------------------------------------------------------------------------- */

typedef struct step {
    takt_reply_status_t status;
    uint32_t version;
    uint32_t offset;
    uint32_t bytes; /* of the reply; 0: it ends the connection */
    uint32_t kind;  /* 0: that of the call */
    bool has_file;
} step_t;

#define GOOD \
    { TAKT_REPLY_OK, TAKT_PROTOCOL_VERSION, 0, TAKT_REPLY_BYTES, 0, false }
#define BOUND \
    { TAKT_REPLY_OK, TAKT_PROTOCOL_VERSION, OWN * sizeof(takt_linux_slot_t), TAKT_REPLY_BYTES, 0, true }
#define STATUS(name) \
    { TAKT_REPLY_##name, TAKT_PROTOCOL_VERSION, 0, TAKT_REPLY_BYTES, 0, false }

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int slots_file, listener;
static takt_linux_slot_t *slots;
static takt_socket_call_t calls[CALLS];
static uint32_t called;
static step_t steps[CALLS];
static pthread_t server;

static void reply(int connection, const step_t *step, uint32_t kind) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    takt_socket_reply_t answer = {
        .version = step->version,
        .kind = step->kind != 0 ? step->kind : kind,
        .status = step->status,
        .cpu = 2,
        .slot_offset = step->offset,
    };
    struct iovec part = {.iov_base = &answer, .iov_len = step->bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (step->has_file) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &slots_file, sizeof slots_file);
    }
    CHECK(sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)step->bytes);
}

static void *serve(void *unused) {
    (void)unused;
    const int connection = accept(listener, NULL, NULL);
    while (recv(connection, &calls[called], sizeof calls[0], 0) == TAKT_CALL_BYTES) {
        const step_t *step = &steps[called];
        if (step->bytes == 0) {
            break;
        }
        reply(connection, step, calls[called].kind);
        called++;
    }
    (void)close(connection);
    return NULL;
}

static void begin_server(const step_t *script, uint32_t count) {
    memset(steps, 0, sizeof steps);
    memset(calls, 0, sizeof calls);
    memcpy(steps, script, count * sizeof *script);
    called = 0;
    CHECK(pthread_create(&server, NULL, serve, NULL) == 0);
}

static void end_server(uint32_t count) {
    CHECK(pthread_join(server, NULL) == 0);
    CHECK(called == count);
}

static takt_linux_transport_t transport;
static const takt_linux_parameters_t motor = {.name = "motor"};

static void open_server(void) {
    (void)snprintf(address.sun_path, sizeof address.sun_path, "/tmp/takt-socket-%d", (int)getpid());
    (void)unlink(address.sun_path);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    CHECK(bind(listener, (const struct sockaddr *)&address, sizeof address) == 0);
    CHECK(listen(listener, CALLS) == 0);
    slots_file = memfd_create("slots", MFD_CLOEXEC);
    CHECK(ftruncate(slots_file, SLOTS * sizeof *slots) == 0);
    slots = mmap(NULL, SLOTS * sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, slots_file, 0);
    CHECK(slots != MAP_FAILED);
    transport = takt_linux_socket(address.sun_path);
}

#define SERVE(...)                                            \
    do {                                                      \
        const step_t script[] = {__VA_ARGS__};                \
        begin_server(script, sizeof script / sizeof *script); \
    } while (0)

/* ---- tests ------------------------------------------------------------------------------------------------ */

/* The next file descriptor: what is open is closed again. */
static int next_file(void) {
    const int file = dup(0);
    (void)close(file);
    return file;
}

static void test_a_thread_joins_enters_and_leaves(void) {
    const int before = next_file();
    SERVE(BOUND, STATUS(NOT_BEGUN), STATUS(NOT_BEGUN), GOOD, GOOD);
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_OK);
    CHECK(calls[0].kind == TAKT_CALL_JOIN && calls[0].thread == gettid());
    CHECK(strcmp(calls[0].name, "motor") == 0);
    CHECK(!takt_linux_should_yield());
    slots[OWN].should_yield = 1; /* the slot is that of the server */
    CHECK(takt_linux_should_yield());
    slots[OWN].should_yield = 0;
    slots[OWN].state = TAKT_SLOT_ATTACHED | TAKT_SLOT_HAS_JOB;
    slots[OWN].job = 5;
    CHECK(takt_linux_wait() == TAKT_LINUX_OK);
    takt_linux_job_t job;
    CHECK(takt_linux_job(&job) == TAKT_LINUX_OK && job.number == 5);
    CHECK(takt_linux_leave() == TAKT_LINUX_OK);
    end_server(5);
    CHECK(calls[1].kind == TAKT_CALL_ENTER && calls[3].kind == TAKT_CALL_ENTER);
    CHECK(calls[4].kind == TAKT_CALL_LEAVE && calls[4].thread == gettid());
    CHECK(next_file() == before && !takt_linux_should_yield());
}

static void test_by_number(void) {
    const takt_linux_parameters_t seventh = {.entity = 7};
    SERVE(BOUND, GOOD);
    CHECK(takt_linux_join(&transport, &seventh) == TAKT_LINUX_OK);
    CHECK(takt_linux_leave() == TAKT_LINUX_OK);
    end_server(2);
    CHECK(calls[0].name[0] == '\0' && calls[0].entity == 7);
}

static void refused(step_t step, takt_linux_status_t expected) {
    const int before = next_file();
    begin_server(&step, 1);
    CHECK(takt_linux_join(&transport, &motor) == expected);
    CHECK(takt_linux_self() == NULL);
    end_server(step.bytes != 0);
    CHECK(next_file() == before);
}

static void test_what_refuses_a_thread_is_said(void) {
    refused((step_t)STATUS(NAME), TAKT_LINUX_ERROR_NAME);
    refused((step_t)STATUS(TAKEN), TAKT_LINUX_ERROR_TAKEN);
    refused((step_t)STATUS(FOREIGN), TAKT_LINUX_ERROR_FOREIGN);
    refused((step_t)STATUS(JOINED), TAKT_LINUX_ERROR_JOINED);
    refused((step_t)STATUS(KERNEL), TAKT_LINUX_ERROR_CLASS);
    refused((step_t)STATUS(DETACHED), TAKT_LINUX_ERROR_DETACHED);
    refused((step_t)STATUS(MESSAGE), TAKT_LINUX_ERROR_VERSION);
}

static void test_a_daemon_of_another_version_is_named(void) {
    step_t step = BOUND;
    step.version++;
    refused(step, TAKT_LINUX_ERROR_VERSION);
    step = (step_t)BOUND;
    step.bytes -= 8;
    refused(step, TAKT_LINUX_ERROR_VERSION);
    step = (step_t)BOUND;
    step.kind = TAKT_CALL_LEAVE;
    refused(step, TAKT_LINUX_ERROR_VERSION);
    refused((step_t)GOOD, TAKT_LINUX_ERROR_VERSION); /* without a file */
    step = (step_t)BOUND;
    step.offset++;
    refused(step, TAKT_LINUX_ERROR_VERSION);
    refused((step_t){.bytes = 0}, TAKT_LINUX_ERROR_SOCKET);
}

static void test_a_daemon_that_ends_is_noticed(void) {
    SERVE(BOUND, {.bytes = 0});
    CHECK(takt_linux_join(&transport, &motor) == TAKT_LINUX_OK);
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED);
    end_server(1);
    CHECK(takt_linux_wait() == TAKT_LINUX_ERROR_DETACHED);
    CHECK(takt_linux_leave() == TAKT_LINUX_OK);
}

static void test_what_cannot_be_asked_for(void) {
    char name[TAKT_NAME_BYTES + 1];
    memset(name, 'x', sizeof name);
    name[TAKT_NAME_BYTES] = '\0';
    const takt_linux_parameters_t longest = {.name = name}, empty = {.name = ""};
    CHECK(takt_linux_join(&transport, &longest) == TAKT_LINUX_ERROR_NAME);
    CHECK(takt_linux_join(&transport, &empty) == TAKT_LINUX_ERROR_NAME);
    const takt_linux_transport_t nowhere = takt_linux_socket("/nowhere/taktd.sock");
    CHECK(takt_linux_join(&nowhere, &motor) == TAKT_LINUX_ERROR_SOCKET);
    char path[sizeof address.sun_path + 1];
    memset(path, '/', sizeof path);
    path[sizeof address.sun_path] = '\0';
    const takt_linux_transport_t endless = takt_linux_socket(path);
    CHECK(takt_linux_join(&endless, &motor) == TAKT_LINUX_ERROR_SOCKET);
    CHECK(strcmp(takt_linux_socket(NULL).context, TAKT_PROTOCOL_PATH) == 0);
}

int main(void) {
    open_server();
    test_a_thread_joins_enters_and_leaves();
    test_by_number();
    test_what_refuses_a_thread_is_said();
    test_a_daemon_of_another_version_is_named();
    test_a_daemon_that_ends_is_noticed();
    test_what_cannot_be_asked_for();
    CHECK(unlink(address.sun_path) == 0);
    return check_report("linux socket");
}
