/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* taktd: the scheduler of this Linux, for programs that are linked with libtakt.
 *
 * usage: taktd [--socket PATH] [--mode OCTAL] [--group GROUP] [--objects FOLDER] [--full [--others TASK]] [--check] [--verbose]
 *
 *     --socket    where programs and `takt linux` find it: /run/takt/taktd.sock
 *     --mode      of the socket's file, 0660 by default: its group may join
 *     --group     of the socket's file, a name of /etc/group or a number: that of the process by default
 *     --objects   the folder of takt.bpf.o and tables.bin: that of this program by default
 *     --full      threads of the fair class are scheduled too, while the domains select none
 *     --others    they are also scheduled while the domain selects this task of its set, so that a server bounds their share
 *     --check     loads the programs, says why the kernel refuses them, and ends
 *     --verbose   what libbpf says while it loads
 *
 * It loads the programs, opens the socket, and does what linux/protocol.h says until SIGTERM or SIGINT, then detaches. One taktd per
 * socket: a lock on PATH.lock, a file with the number of the process, ends with the process. With systemd it notifies it that it
 * is ready. Exit status: 0 after a signal, 1 if the machine refuses something, 2 for a wrong option or a second taktd. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "linux/daemon/service.h"
#include "linux/lib/clock.h"

enum { STATUS_FAILED = 1, STATUS_REFUSED = 2, OCTAL = 8, DECIMAL = 10, PATH_BYTES = 512, MODE = 0660 };

typedef struct options {
    const char *socket;
    const char *objects; /* NULL: the folder of this program */
    unsigned long mode;
    gid_t group;
    const char *others; /* NULL: no task stands for the threads of the fair class */
    bool has_group;
    bool is_full;
    bool is_check;
    bool is_verbose;
} options_t;

static _Noreturn void end(int status, const char *what, const char *detail) {
    fprintf(stderr, "taktd: %s%s%s\n", what, *detail != '\0' ? ": " : "", detail);
    exit(status);
}

/* ---- options ---------------------------------------------------------------------------------------------- */

static unsigned long number_of(const char *text, int base, const char *option) {
    char *rest;
    const unsigned long number = strtoul(text, &rest, base);
    if (*text == '\0' || *text == '-' || *rest != '\0') {
        end(STATUS_REFUSED, option, "expected a number");
    }
    return number;
}

/* Not by getgrnam: it loads libraries, which a static program must not. */
static gid_t group_of(const char *name) {
    FILE *file = fopen("/etc/group", "r");
    const struct group *found = file != NULL ? fgetgrent(file) : NULL;
    while (found != NULL && strcmp(found->gr_name, name) != 0) {
        found = fgetgrent(file);
    }
    const gid_t group = found != NULL ? found->gr_gid : (gid_t)number_of(name, DECIMAL, "--group");
    if (file != NULL) {
        (void)fclose(file);
    }
    return group;
}

static void read_option(options_t *options, int option) {
    switch (option) {
    case 's':
        options->socket = optarg;
        break;
    case 'm':
        options->mode = number_of(optarg, OCTAL, "--mode");
        break;
    case 'g':
        options->group = group_of(optarg);
        options->has_group = true;
        break;
    case 'o':
        options->objects = optarg;
        break;
    case 'f':
        options->is_full = true;
        break;
    case 't':
        options->others = optarg;
        break;
    case 'c':
        options->is_check = true;
        break;
    case 'v':
        options->is_verbose = true;
        break;
    default:
        end(STATUS_REFUSED,
            "usage: taktd [--socket PATH] [--mode OCTAL] [--group GROUP] [--objects FOLDER] "
            "[--full [--others TASK]] [--check] [--verbose]",
            "");
    }
}

static options_t read_options(int count, char **arguments) {
    static const struct option known[] = {
        {"socket", required_argument, NULL, 's'},
        {"mode", required_argument, NULL, 'm'},
        {"group", required_argument, NULL, 'g'},
        {"objects", required_argument, NULL, 'o'},
        {"full", no_argument, NULL, 'f'},
        {"others", required_argument, NULL, 't'},
        {"verbose", no_argument, NULL, 'v'},
        {"check", no_argument, NULL, 'c'},
        {NULL, 0, NULL, 0},
    };
    options_t options = {.socket = TAKT_PROTOCOL_PATH, .mode = MODE};
    int option;
    opterr = 0;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        read_option(&options, option);
    }
    if (optind < count) {
        end(STATUS_REFUSED, arguments[optind], "expected an option");
    }
    if (options.others != NULL && !options.is_full) {
        end(STATUS_REFUSED, "--others", "needs --full: else the other threads come before the task set");
    }
    if (strlen(options.socket) >= sizeof((struct sockaddr_un *)NULL)->sun_path) {
        end(STATUS_REFUSED, options.socket, "the path is too long for a socket");
    }
    return options;
}

/* ---- one taktd per socket --------------------------------------------------------------------------------- */

/* Makes the folder of the socket, which /run loses at each boot. */
static void make_folder(const char *path) {
    char folder[PATH_BYTES];
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *last = strrchr(folder, '/');
    if (last != NULL && last != folder) {
        *last = '\0';
        (void)mkdir(folder, 0755);
    }
}

/* Ends this program if another taktd has the socket. The lock is held as long as the process exists. */
static void lock(const char *path) {
    char name[PATH_BYTES], text[64] = "";
    (void)snprintf(name, sizeof name, "%s.lock", path);
    const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) {
        end(STATUS_FAILED, name, strerror(errno));
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        const ssize_t bytes = read(file, text, sizeof text - 1);
        text[bytes > 0 ? bytes : 0] = '\0';
        text[strcspn(text, "\n")] = '\0';
        end(STATUS_REFUSED, "another taktd runs at this socket, as process", text);
    }
    const int length = snprintf(text, sizeof text, "%d\n", getpid());
    if (ftruncate(file, 0) != 0 || write(file, text, (size_t)length) != length) {
        end(STATUS_FAILED, name, strerror(errno));
    }
}

/* Removes the socket that a killed taktd has left, and nothing else. */
static void remove_socket(const char *path) {
    struct stat found;
    if (lstat(path, &found) != 0) {
        return;
    }
    if (!S_ISSOCK(found.st_mode)) {
        end(STATUS_REFUSED, path, "this is no socket; remove it, or name another path by --socket");
    }
    (void)unlink(path);
}

/* Returns the socket. Its mode is set before programs can connect. */
static int listen_at(const options_t *options) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, options->socket, strlen(options->socket));
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0 || bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        (options->has_group && lchown(options->socket, (uid_t)-1, options->group) != 0) ||
        chmod(options->socket, (mode_t)options->mode) != 0 || listen(listener, SOMAXCONN) != 0) {
        end(STATUS_FAILED, options->socket, strerror(errno));
    }
    return listener;
}

/* ---- the scheduler ---------------------------------------------------------------------------------------- */

static void load(takt_machine_t *machine, const options_t *options) {
    static char object[PATH_BYTES + 16]; /* the machine keeps its name */
    char folder[PATH_BYTES], tables[PATH_BYTES + 16];
    const ssize_t bytes = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[bytes > 0 ? bytes : 0] = '\0';
    char *last = strrchr(folder, '/');
    if (options->objects != NULL) {
        (void)snprintf(folder, sizeof folder, "%s", options->objects);
    } else if (last != NULL) {
        *last = '\0';
    }
    (void)snprintf(object, sizeof object, "%s/takt.bpf.o", folder);
    (void)snprintf(tables, sizeof tables, "%s/tables.bin", folder);
    const long processors = sysconf(_SC_NPROCESSORS_CONF);
    machine->is_full = options->is_full;
    machine->is_quiet = !options->is_verbose;
    machine->is_lazy = !options->is_check;
    if (!takt_machine_open(machine, object, tables, processors < TAKT_CPUS ? (uint32_t)processors : TAKT_CPUS,
                           false)) {
        char detail[PATH_BYTES];
        (void)snprintf(detail, sizeof detail, "%s; takt linux check says what this machine lacks",
                       strerror(machine->error));
        end(STATUS_FAILED, machine->what, detail);
    }
}

/* Tells systemd that programs can connect. */
static void notify_ready(void) {
    static const char ready[] = "READY=1";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    const size_t length = path != NULL ? strlen(path) : 0;
    const int notifier =
        length > 0 && length < sizeof address.sun_path ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (notifier < 0) {
        return;
    }
    memcpy(address.sun_path, path, length);
    address.sun_path[0] = *path == '@' ? '\0' : *path; /* an abstract one */
    (void)sendto(notifier, ready, sizeof ready - 1, MSG_NOSIGNAL, (const struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    (void)close(notifier);
}

enum { OWN_FILES = 64 };

/* Returns how many connections there may be: one for each thread that joins. */
static int connections(void) {
    struct rlimit limit;
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max < TAKT_CLIENTS + OWN_FILES ? (int)limit.rlim_max - OWN_FILES : TAKT_CLIENTS;
}

/* In full mode the fair class executes only while the domains select none: there a call to detach could wait for ever. */
static void leave_fair_class(void) {
    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) != 0) {
        fprintf(stderr, "taktd: it cannot enter SCHED_FIFO, so threads may wait for it: %s\n",
                strerror(errno));
    }
}

/* ---- the loop --------------------------------------------------------------------------------------------- */

enum { SIGNALS, LISTENER, FIRST_CLIENT };

#define REST_NS UINT64_C(100000000) /* after a connection that could not be accepted */

static takt_service_t service;
static struct pollfd polled[FIRST_CLIENT + TAKT_CLIENTS];
static uint64_t rests_until; /* CLOCK_MONOTONIC in ns: no connection is accepted before */

static int open_signals(void) {
    sigset_t ending;
    (void)sigemptyset(&ending);
    (void)sigaddset(&ending, SIGTERM);
    (void)sigaddset(&ending, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &ending, NULL);
    return signalfd(-1, &ending, SFD_CLOEXEC);
}

/* Says what changed, for the journal. */
static void report(takt_daemon_state_t before) {
    static const char *const words[] = {"detached", "waits for threads", "attached"};
    if (service.state != before) {
        fprintf(stderr, "taktd: %s%s%s\n", words[service.state],
                service.reason[0] != '\0' ? ": the kernel ended the scheduler: " : "", service.reason);
    }
}

/* True if programs that connect are to wait, or to give up: there are no places, or no files for connections. */
static bool is_closed(uint64_t now) {
    bool has_place = false;
    for (int i = 0; i < service.most; i++) {
        has_place = has_place || service.clients[i].connection < 0;
    }
    return !has_place || now < rests_until;
}

static void wait_for_calls(int listener) {
    const uint64_t now = takt_clock_read(CLOCK_MONOTONIC), due = takt_service_next(&service);
    const uint64_t next = now < rests_until && rests_until < due ? rests_until : due;
    const struct timespec patience = takt_clock_time(next > now ? next - now : 0);
    for (int i = 0; i < service.most; i++) {
        polled[FIRST_CLIENT + i].fd = service.clients[i].connection;
    }
    polled[LISTENER].fd = is_closed(now) ? -1 : listener;
    if (ppoll(polled, FIRST_CLIENT + (nfds_t)service.most, next != UINT64_MAX ? &patience : NULL, NULL) < 0 &&
        errno != EINTR) {
        end(STATUS_FAILED, "the socket cannot be waited for", strerror(errno));
    }
}

static void accept_one(int listener) {
    const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0) {
        takt_service_admit(&service, connection);
        return;
    }
    if (rests_until == 0) {
        fprintf(stderr, "taktd: connections have to wait: %s\n", strerror(errno));
    }
    rests_until = takt_clock_read(CLOCK_MONOTONIC) + REST_NS;
}

static void serve_all(int listener) {
    const takt_daemon_state_t before = service.state;
    for (int i = 0; i < service.most; i++) {
        if (polled[FIRST_CLIENT + i].fd >= 0 && polled[FIRST_CLIENT + i].revents != 0) {
            takt_service_serve(&service, &service.clients[i]);
        }
    }
    if (polled[LISTENER].fd >= 0 && polled[LISTENER].revents != 0) {
        accept_one(listener);
    }
    takt_service_attend(&service);
    report(before);
}

/* Opens the socket, and serves it until a signal comes. */
static void run(takt_machine_t *machine, const options_t *options) {
    const int signals = open_signals();
    const int listener = listen_at(options);
    service.others = options->others;
    takt_service_open(&service, machine, connections());
    for (int i = 0; i < FIRST_CLIENT + TAKT_CLIENTS; i++) {
        polled[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    }
    polled[SIGNALS].fd = signals;
    if (options->is_full) {
        leave_fair_class();
    }
    notify_ready();
    fprintf(stderr, "taktd: ready at %s\n", options->socket);
    while (polled[SIGNALS].revents == 0) {
        wait_for_calls(listener);
        serve_all(listener);
    }
    takt_service_close(&service);
}

int main(int count, char **arguments) {
    static takt_machine_t machine;
    const options_t options = read_options(count, arguments);
    if (options.is_check) {
        load(&machine, &options);
        takt_machine_close(&machine);
        return 0;
    }
    make_folder(options.socket);
    lock(options.socket);
    remove_socket(options.socket);
    load(&machine, &options);
    run(&machine, &options);
    takt_machine_close(&machine);
    remove_socket(options.socket);
    return 0;
}
