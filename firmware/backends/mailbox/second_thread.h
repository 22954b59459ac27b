/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Beside: a second thread of the process, on a stack of its own. It executes only while the processor's thread waits
 * for it, so that virtual time stands still and runs repeat. */
#ifndef TAKT_FIRMWARE_BACKENDS_MAILBOX_BESIDE_H
#define TAKT_FIRMWARE_BACKENDS_MAILBOX_BESIDE_H

/* Starts the thread. It calls `act` for each takt_beside_execute. */
void takt_beside_begin(void (*act)(void));

/* Lets the thread execute `act` once; returns when it has. */
void takt_beside_execute(void);

#endif
