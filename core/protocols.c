/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The table of protocols: one row each. */
#include "core/protocol.h"

const takt_protocol_kind_t *const takt_protocols[] = {
    [TAKT_PROTOCOL_NONE] = &takt_protocol_none,
    [TAKT_PROTOCOL_NPCS] = &takt_protocol_npcs,
    [TAKT_PROTOCOL_PIP] = &takt_protocol_pip,
    [TAKT_PROTOCOL_PCP] = &takt_protocol_pcp,
    [TAKT_PROTOCOL_ICPP] = &takt_protocol_icpp,
    [TAKT_PROTOCOL_SRP] = &takt_protocol_srp,
    [TAKT_PROTOCOL_GLOBAL_SRP] = &takt_protocol_global_srp,
    [TAKT_PROTOCOL_HSRP] = &takt_protocol_hsrp,
    [TAKT_PROTOCOL_HSRP_PAYBACK] = &takt_protocol_hsrp_payback,
    [TAKT_PROTOCOL_SIRAP] = &takt_protocol_sirap,
};

const takt_protocol_kind_t *takt_protocol_in_table(uint32_t protocol) {
    return protocol < TAKT_PROTOCOLS ? takt_protocols[protocol] : NULL;
}
