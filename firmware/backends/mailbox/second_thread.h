/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The second thread of the process. It executes only while the processor's thread waits for it, so that virtual time
 * stands still and runs repeat. */
#ifndef TAKT_FIRMWARE_BACKENDS_MAILBOX_SECOND_THREAD_H
#define TAKT_FIRMWARE_BACKENDS_MAILBOX_SECOND_THREAD_H

/* Starts the thread. It calls `act` for each takt_second_thread_execute. */
void takt_second_thread_begin(void (*act)(void));

/* Lets the thread execute `act` once; returns when it has. */
void takt_second_thread_execute(void);

#endif
