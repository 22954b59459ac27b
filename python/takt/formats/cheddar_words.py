# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cheddar's words for policies, servers and protocols."""

from __future__ import annotations

FIXED = "POSIX_1003_HIGHEST_PRIORITY_FIRST_PROTOCOL"
POLICIES = {
    FIXED: "fp",
    "RATE_MONOTONIC_PROTOCOL": "rm",
    "DEADLINE_MONOTONIC_PROTOCOL": "dm",
    "EARLIEST_DEADLINE_FIRST_PROTOCOL": "edf",
    "LEAST_RUNTIME_LAXITY_FIRST_PROTOCOL": "llf",
}
SCHEDULERS = {policy: scheduler for scheduler, policy in POLICIES.items()}
SIMILAR = {"LEAST_LAXITY_FIRST_PROTOCOL": "llf"}
NO_SCHEDULER = "NO_SCHEDULING_PROTOCOL"
SERVERS = {
    "HIERARCHICAL_POLLING_APERIODIC_SERVER_PROTOCOL": "polling",
    "HIERARCHICAL_DEFERRABLE_APERIODIC_SERVER_PROTOCOL": "deferrable",
    "HIERARCHICAL_SPORADIC_APERIODIC_SERVER_PROTOCOL": "sporadic",
}
SERVER_SCHEDULERS = {kind: scheduler for scheduler, kind in SERVERS.items()}
CYCLIC = "HIERARCHICAL_CYCLIC_PROTOCOL"
SERVER = "server"
"""Name of the one aperiodic server, which has none in a file."""

PROTOCOLS = {
    "NO_PROTOCOL": "none",
    "PRIORITY_INHERITANCE_PROTOCOL": "pip",
    "PRIORITY_CEILING_PROTOCOL": "pcp",
    "IMMEDIATE_PRIORITY_CEILING_PROTOCOL": "icpp",
}
PROTOCOL_WORDS = {protocol: word for word, protocol in PROTOCOLS.items()}
