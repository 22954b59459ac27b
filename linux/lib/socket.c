/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The transport to taktd. Each thread has a connection of its own, so that threads share nothing, and the page of its slot. */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "linux/lib/takt_linux.h"
#include "linux/protocol.h"
#include "linux/slot.h"

enum { PATIENCE_SECONDS = 5, NO_FILE = -1 };

/* ---- messages --------------------------------------------------------------------------------------- */

/* Room for one file descriptor. */
typedef union takt_linux_control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
} takt_linux_control_t;

/* Returns the file descriptor of a message, NO_FILE if there is none. */
static int file_of(struct msghdr *message) {
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    int file = NO_FILE;
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof file)) {
        memcpy(&file, CMSG_DATA(header), sizeof file);
    }
    return file;
}

static takt_linux_status_t status_of(takt_reply_status_t status) {
    switch (status) {
    case TAKT_REPLY_OK:
        return TAKT_LINUX_OK;
    case TAKT_REPLY_NAME:
        return TAKT_LINUX_ERROR_NAME;
    case TAKT_REPLY_TAKEN:
        return TAKT_LINUX_ERROR_TAKEN;
    case TAKT_REPLY_JOINED:
        return TAKT_LINUX_ERROR_JOINED;
    case TAKT_REPLY_KERNEL:
        return TAKT_LINUX_ERROR_CLASS;
    case TAKT_REPLY_FOREIGN:
        return TAKT_LINUX_ERROR_FOREIGN;
    case TAKT_REPLY_NOT_BEGUN:
        return TAKT_LINUX_ERROR_NOT_BEGUN;
    case TAKT_REPLY_NOT_JOINED:
    case TAKT_REPLY_DETACHED:
        return TAKT_LINUX_ERROR_DETACHED;
    default:
        return TAKT_LINUX_ERROR_VERSION;
    }
}

/* Receives the reply to a call of `kind`, and the file that comes with it. */
static takt_linux_status_t receive(int connection, uint32_t kind, takt_socket_reply_t *reply, int *file) {
    takt_linux_control_t control;
    struct iovec part = {.iov_base = reply, .iov_len = sizeof *reply};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    const ssize_t bytes = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    *file = bytes > 0 ? file_of(&message) : NO_FILE;
    if (bytes <= 0) {
        return TAKT_LINUX_ERROR_SOCKET;
    }
    if (bytes != sizeof *reply || (message.msg_flags & MSG_TRUNC) != 0 ||
        reply->version != TAKT_PROTOCOL_VERSION || reply->kind != kind) {
        return TAKT_LINUX_ERROR_VERSION;
    }
    return status_of((takt_reply_status_t)reply->status);
}

/* Makes a call. A file that comes with the reply is the caller's; NO_FILE if there is none. */
static takt_linux_status_t ask(int connection, const takt_socket_call_t *call, takt_socket_reply_t *reply,
                               int *file) {
    *file = NO_FILE;
    return send(connection, call, sizeof *call, MSG_NOSIGNAL) == sizeof *call
               ? receive(connection, call->kind, reply, file)
               : TAKT_LINUX_ERROR_SOCKET;
}

/* A call about the thread of the connection, whose reply has no file. */
static takt_linux_status_t ask_about(const takt_linux_binding_t *binding, takt_call_kind_t kind,
                                     int32_t thread) {
    const takt_socket_call_t call = {
        .version = TAKT_PROTOCOL_VERSION, .kind = (uint32_t)kind, .thread = thread};
    takt_socket_reply_t reply;
    int file;
    const takt_linux_status_t status = ask(binding->connection, &call, &reply, &file);
    if (file != NO_FILE) {
        (void)close(file);
    }
    return status == TAKT_LINUX_ERROR_SOCKET ? TAKT_LINUX_ERROR_DETACHED : status;
}

/* ---- connections -------------------------------------------------------------------------------------- */

/* Returns a connection to taktd, -1 for none. A daemon that is stopped does not stop its programs. */
static int connect_to(const char *path) {
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return NO_FILE;
    }
    memcpy(address.sun_path, path, strlen(path));
    const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection < 0) {
        return NO_FILE;
    }
    (void)setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(connection, (const struct sockaddr *)&address, sizeof address) != 0) {
        (void)close(connection);
        return NO_FILE;
    }
    return connection;
}

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Maps the page in which the slot stands, at byte `offset` of `file`. */
static struct takt_linux_slot *map_slot(int file, uint64_t offset) {
    const uint64_t within = offset % page_bytes();
    char *page = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(offset - within));
    return page != MAP_FAILED ? (struct takt_linux_slot *)(void *)(page + within) : NULL;
}

/* Returns whether `call`, a JOIN, has the name of `parameters`, which is whole in it. */
static bool write_name(takt_socket_call_t *call, const takt_linux_parameters_t *parameters) {
    call->entity = parameters->entity;
    if (parameters->name == NULL) {
        return true;
    }
    const size_t length = strlen(parameters->name);
    if (length == 0 || length >= sizeof call->name) {
        return false;
    }
    memcpy(call->name, parameters->name, length);
    return true;
}

static takt_linux_status_t take_binding(const takt_socket_call_t *call, takt_linux_binding_t *binding) {
    takt_socket_reply_t reply;
    int file;
    takt_linux_status_t status = ask(binding->connection, call, &reply, &file);
    if (status == TAKT_LINUX_OK) {
        binding->cpu = (int32_t)reply.cpu;
        binding->slot = file != NO_FILE && reply.slot_offset % sizeof(takt_linux_slot_t) == 0
                            ? map_slot(file, reply.slot_offset)
                            : NULL;
        status = binding->slot != NULL ? TAKT_LINUX_OK : TAKT_LINUX_ERROR_VERSION;
    }
    if (file != NO_FILE) {
        (void)close(file);
    }
    return status;
}

/* ---- the transport ------------------------------------------------------------------------------------ */

static takt_linux_status_t join(void *context, const takt_linux_parameters_t *parameters, int32_t thread,
                                takt_linux_binding_t *binding) {
    takt_socket_call_t call = {.version = TAKT_PROTOCOL_VERSION, .kind = TAKT_CALL_JOIN, .thread = thread};
    if (!write_name(&call, parameters)) {
        return TAKT_LINUX_ERROR_NAME;
    }
    binding->connection = connect_to(context);
    if (binding->connection == NO_FILE) {
        return TAKT_LINUX_ERROR_SOCKET;
    }
    const takt_linux_status_t status = take_binding(&call, binding);
    if (status != TAKT_LINUX_OK) {
        (void)close(binding->connection);
    }
    return status;
}

static takt_linux_status_t enter(void *context, const takt_linux_binding_t *binding, int32_t thread) {
    (void)context;
    return ask_about(binding, TAKT_CALL_ENTER, thread);
}

static void leave(void *context, const takt_linux_binding_t *binding, int32_t thread) {
    (void)context;
    (void)ask_about(binding, TAKT_CALL_LEAVE, thread);
    const uintptr_t within = (uintptr_t)binding->slot % page_bytes();
    (void)munmap((char *)binding->slot - within, page_bytes());
    (void)close(binding->connection);
}

takt_linux_transport_t takt_linux_socket(const char *path) {
    return (takt_linux_transport_t){
        .context = (void *)(uintptr_t)(path != NULL ? path : TAKT_PROTOCOL_PATH),
        .join = join,
        .enter = enter,
        .leave = leave,
    };
}
