/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a domain says of an entity, as the programs of the kernel read it. */
#ifndef TAKT_LINUX_BPF_TELL_H
#define TAKT_LINUX_BPF_TELL_H

#include "linux/desk.h"
#include "linux/domain.h"

/* Writes what `domain` says of `entity`, a task, to the takt_told_t at `told`. Returns its state. */
uint64_t takt_domain_tell(uint64_t domain, uint64_t entity, uint64_t told);

/* Returns the number of the entity whose release is what takt_domain_next says, if that has no job now; TAKT_NO_ENTITY for
 * anything else. Its thread sleeps until then. */
uint64_t takt_domain_next_sleeper(uint64_t domain);

#endif
