/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What `takt linux` asks of taktd, for a guest without Python.
 *
 * usage: ask_taktd SOCKET load FILE TICK_NS RECORDS [wait]
 *        ask_taktd SOCKET status | detach | trace FILE
 *
 * Prints the messages of replies that are not OK, and the status: its counts, instant 0, a line for each task of processor 0. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "linux/protocol.h"

static int connection, answer = -1;
static takt_socket_reply_t reply;

#define TAKT_MESSAGE(constant, message) message,
static const char *const messages[] = {TAKT_REPLY_STATUSES(TAKT_MESSAGE)};

/* Sends a call, with `file` if that is none of -1. Returns whether the reply is OK. */
static int ask(takt_socket_call_t call, int file) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof file)];
    } control = {.bytes = {0}};
    call.version = TAKT_PROTOCOL_VERSION;
    struct iovec part = {&call, sizeof call};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header = (struct cmsghdr){CMSG_LEN(sizeof file), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    }
    if (sendmsg(connection, &message, MSG_NOSIGNAL) < 0) {
        return 0;
    }
    part.iov_base = &reply;
    part.iov_len = sizeof reply;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    if (recvmsg(connection, &message, 0) != sizeof reply) {
        return 0;
    }
    if (CMSG_FIRSTHDR(&message) != NULL) {
        memcpy(&answer, CMSG_DATA(&control.header), sizeof answer);
    }
    return reply.status == TAKT_REPLY_OK;
}

static int said(const char *what, int is_ok) {
    if (!is_ok) {
        printf("%s: %s %s\n", what, messages[reply.status], reply.text);
    }
    return is_ok;
}

static int load(char **words, int count) {
    const takt_socket_call_t added = {.kind = TAKT_CALL_ADD,
                                      .tick_ns = strtoull(words[1], NULL, 10),
                                      .records = strtoull(words[2], NULL, 10)};
    const takt_socket_call_t attached = {.kind = TAKT_CALL_ATTACH,
                                         .flags = count > 3 ? TAKT_CALL_WHEN_JOINED : 0};
    return said("add", ask(added, open(words[0], O_RDONLY))) && said("attach", ask(attached, -1));
}

static int status(void) {
    const int is_loaded = ask((takt_socket_call_t){.kind = TAKT_CALL_STATUS}, -1);
    const takt_processor_status_t told = reply.of.processor;
    printf("state %u refused %llu lost %llu %s\n", told.state, (unsigned long long)told.refused,
           (unsigned long long)told.lost, reply.text);
    printf("epoch %llu\n", (unsigned long long)told.epoch_ns);
    for (uint32_t entity = told.first_task; is_loaded && entity < told.entities; entity++) {
        const takt_socket_call_t call = {.kind = TAKT_CALL_TASK, .entity = entity};
        if (said("task", ask(call, -1))) {
            printf("task %s thread %d job %u started %u\n", reply.text, reply.of.task.thread,
                   reply.of.task.job, reply.of.task.started);
        }
    }
    return is_loaded;
}

static int trace(const char *name) {
    struct stat state;
    const int file = open(name, O_WRONLY | O_CREAT, 0644);
    off_t at = 0;
    const int is_there = said("trace", ask((takt_socket_call_t){.kind = TAKT_CALL_TRACE}, -1));
    printf("%llu bytes of requests\n", (unsigned long long)reply.of.words[0]);
    return is_there && fstat(answer, &state) == 0 &&
           sendfile(file, answer, &at, (size_t)state.st_size) == state.st_size;
}

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", count > 2 ? words[1] : "");
    connection = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(connection, (const struct sockaddr *)&address, sizeof address) != 0) {
        perror("ask_taktd");
        return 2;
    }
    switch (*words[2]) {
    case 'l':
        return !load(words + 3, count - 3);
    case 's':
        return !status();
    case 'd':
        return !said("detach", ask((takt_socket_call_t){.kind = TAKT_CALL_DETACH}, -1));
    default:
        return !trace(words[3]);
    }
}
