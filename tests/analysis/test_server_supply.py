# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The supply of a server: by the bound of its response where there is one, else by its period."""

from __future__ import annotations

import pytest
import takt
from takt import _analysis
from takt.analysis import servers
from takt.analysis.judge import judge
from takt.analysis.view import view_of


@pytest.mark.parametrize(("kind", "is_polling"), [("deferrable", False), ("polling", True)])
def test_a_server_supplies_by_its_response_if_that_is_bounded(kind: str, is_polling: bool) -> None:
    system = takt.System(
        tasks=[takt.Task(name="A", period=30, wcet=1, server="S")],
        servers=[takt.Server(name="S", kind=kind, period=10, budget=3)],
    )
    view = view_of(system)
    (row,) = judge(view, 10**6).servers.values()
    (server,) = view.dispatchers[0].servers
    assert servers.supply_of(view, server, row) == _analysis.make_supply(10, 3, 3, is_polling)
    assert _analysis.make_supply(10, 3, 3, is_polling) != _analysis.make_supply(10, 3, 10, is_polling)
