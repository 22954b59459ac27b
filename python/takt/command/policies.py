# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt policies`."""

from __future__ import annotations

from collections import Counter

from takt.model import catalogue
from takt.show.text_tables import Terminal, text_columns


def policies(is_wide: bool) -> None:
    """Print the policies, the kinds of servers, the protocols of resources and where a scheduler may run."""
    terminal = Terminal(is_wide=is_wide)
    terminal.print("policies", "title")
    (tie, _), *_ = Counter(policy.tie for policy in catalogue.policies()).most_common()
    others = {policy: f"; equals: {policy.tie}" for policy in catalogue.policies() if policy.tie != tie}
    rows = [(policy.name, policy.summary + others.get(policy, "")) for policy in catalogue.policies()]
    terminal.print_table(text_columns(("name", "order"), rows))
    terminal.print(f"equals: {tie}")
    terminal.print("\nkinds of servers", "title")
    kinds = [(kind.name, kind.summary) for kind in catalogue.server_kinds()]
    terminal.print_table(text_columns(("name", "budget"), kinds))
    terminal.print(f"\nprotocols of resources: {', '.join(catalogue.PROTOCOLS)}")
    terminal.print(f"architectures: {', '.join(catalogue.ARCHITECTURES)}")
