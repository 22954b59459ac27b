/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a domain says of an entity, as the programs of the kernel read it. */
#ifndef TAKT_LINUX_BPF_REPORT_H
#define TAKT_LINUX_BPF_REPORT_H

#include "linux/shared.h"
#include "linux/domain.h"

/* Writes what `domain` says of `entity` to the takt_report_t at `report`; if that is no task, only that it has no job. Returns
 * its state. */
uint64_t takt_domain_report(uint64_t domain, uint64_t entity, uint64_t report);

#endif
