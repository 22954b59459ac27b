/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Foresight: what a domain that idles will decide if nothing happens but that time passes.
 *
 *     decision: none ─► foresee: entity, from, until ─► its thread wakes within [from, until): it is the one to run
 *     it runs ahead of the domain ─► the next event: the domain decides as of the instant at which it began to run ─► agrees
 *
 *     decision: a job ─► foresee: the next entity, after it ─► the job ends, that is noted ─► the next one runs ahead
 *
 * The first timer releases a job, and it is alone: nothing is ready, no resource is locked, no other timer and no input of
 * the image comes before `until`. Then the next decision names that job, whenever in the stretch it is taken.
 *
 * While a job runs at the root, the next one is foreseen that is ready there, if no other one of its task waits.
 *
 * Nothing is foreseen where a job is released by an event, by an allocator, or with a change of its task that is under way; in a
 * server without budget; in one whose used budget is not booked yet, so that new work arms a timer.
 *
 * The domain is at most one decision behind (docs/explanation/remote.md): each question lets it follow first.
 *
 * Source: docs/explanation/linux.md. When not to use it: where a call comes before the next entity has to run. */
#ifndef TAKT_LINUX_FORESIGHT_H
#define TAKT_LINUX_FORESIGHT_H

#include "linux/domain.h"
#include "linux/shared.h"

/* Writes what `domain` foresees to the takt_foresight_t at `foresight`. Returns as takt_domain_next. */
uint64_t takt_domain_foresee(uint64_t domain, uint64_t foresight);

/* Returns 1 if the last decision of `domain` is the one that stands in the takt_foresight_t at `foresight`, 0 else. */
uint64_t takt_domain_agrees(uint64_t domain, uint64_t foresight);

#endif
