/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A word of each thread's own, for code that several threads call: an error number, the state of a library, a table of
 * more words.
 *
 * The word is at the end of the thread's stack, so that a control block has no place for it, and a thread that was not
 * given one has no cost:
 *
 *     (void)takt_thread_reserve_word(&thread, &parameters);
 *     (void)takt_thread_create(&thread, &parameters);
 *     ...
 *     *takt_thread_word(NULL) = value;
 *
 * It stays with the thread, whichever of its jobs runs, and is NULL at first.
 *
 * When not to use it: for data of one kind of thread. Place the thread in a structure that has the data, and find it by
 * TAKT_CONTAINER_OF. */
#ifndef TAKT_KERNEL_LOCAL_H
#define TAKT_KERNEL_LOCAL_H

#include "kernel/thread.h"

TAKT_C_BEGIN

enum { TAKT_THREAD_WORD_BYTES = 8 /* bytes of a stack that the word takes, so that it stays aligned */ };

/* Reserves the word of `thread`, which is then created from `parameters`: takes TAKT_THREAD_WORD_BYTES from the end of
 * the stack that they name. Once for each creation, of any kind of thread. Returns ERROR_NULL; _STACK if the stack is
 * not aligned to 8 bytes, or too small then; or _EXISTS if the thread exists or has its word reserved already. */
takt_status_t takt_thread_reserve_word(takt_thread_t *thread, takt_thread_parameters_t *parameters);

/* Returns where the word of `thread` is, NULL: of the running thread. Returns NULL if it has none, has ended, or no thread
 * runs. From anywhere; only the thread itself, and those that agree with it, should write it. */
void **takt_thread_word(const takt_thread_t *thread);

TAKT_C_END

#endif
