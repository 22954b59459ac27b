# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Glue that is wrong on purpose: the mailbox with one defect each, which a replay does not find and the observer does.

Each defect is a change of the mailbox's text. What the scheduler side records is a correct run of core in any case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import recipes
import takt
from places import ROOT
from recipes import compile_objects, found, recipe
from takt.base.errors import BoardError
from takt.board import emulation, firmware

MAILBOX = "firmware/backends/mailbox/mailbox.c"
DELAY = 2

Changes = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Defect:
    """A defect of the glue.

    Args:
        finding: the rule that it breaks, in the words of remote/observer.h.
        changes: of the source, each of a text that stands there once.
    """

    finding: str
    changes: Changes


POST = "    send(is_from_outside(event->kind) ? TAKT_SENDER_OUTSIDE : TAKT_SENDER_PROCESSOR, &letter);\n"
OBEY = "    return takt_application_carry_out(&application, dispatcher->cpus, &answer);\n"

DEFECTS = {
    "fetches too often": Defect(
        "more than two decisions were fetched in a row without a cause",
        (
            (
                "    has_dropped = answer.is_decision && !is_accepted;\n",
                "    static uint32_t times;\n"
                "    has_dropped = answer.is_decision && (!is_accepted || ++times % 4 != 0);\n",
            ),
            ("    return is_accepted;\n", "    return answer.is_decision && !has_dropped;\n"),
        ),
    ),
    "completes an older job": Defect(
        "an event is about another job than the last decision names",
        (
            (
                POST,
                "    takt_letter_t older = letter;\n"
                "    older.message.job -= event->kind == TAKT_EVENT_COMPLETE;\n" + POST.replace("&letter", "&older"),
            ),
        ),
    ),
    "switches to another thread": Defect(
        "a thread runs that the last decision does not name",
        (
            (
                OBEY,
                "    static uint32_t times;\n"
                "    answer.entity = ++times % 4 == 0 ? TAKT_NO_ENTITY : answer.entity;\n" + OBEY,
            ),
        ),
    ),
    "loses an arrival": Defect(
        "an event that the program made was not received",
        (
            (
                "    const takt_letter_t letter = {.kind = TAKT_LETTER_EVENT,\n",
                "    if (event->kind == TAKT_EVENT_ARRIVAL && event->now > 100) {\n"
                "        return;\n"
                "    }\n"
                "    const takt_letter_t letter = {.kind = TAKT_LETTER_EVENT,\n",
            ),
        ),
    ),
    "sends an arrival twice": Defect(
        "an event was received that the program did not make",
        (
            (
                POST,
                "    if (event->kind == TAKT_EVENT_ARRIVAL) {\n"
                "        application.posted++;\n"
                "        send(TAKT_SENDER_OUTSIDE, &letter);\n"
                "    }\n" + POST,
            ),
        ),
    ),
    "loses signals": Defect(
        "a signal was not answered by a fetch",
        (("        signalled = letter.number;\n        takt_posix_interrupt_pend(SIGNAL_INTERRUPT);\n", ""),),
    ),
    "carries out what it drops": Defect(
        "a decision was carried out and dropped",
        (("    return is_accepted;\n", "    return answer.is_decision;\n"),),
    ),
    "drops nothing": Defect(
        "a decision was carried out that does not consider an event made before",
        (("takt_application_accepts(&application, &answer)", "answer.is_decision"),),
    ),
}


def system() -> takt.System:
    """Return a system with arrivals while decisions are under way, and an idle processor at times."""
    return takt.System(
        policy="fp",
        horizon=3000,
        tasks=[
            takt.Task(name="control", period=100, wcet=10, priority=3),
            takt.Task(name="work", period=150, wcet=60, priority=1),
            takt.Task(name="button", arrivals=list(range(37, 2900, 53)), deadline=40, wcet=5, priority=2),
            takt.Task(name="knob", arrivals=list(range(41, 2900, 71)), deadline=70, wcet=3, priority=4),
        ],
    )


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Compile all of the program but the mailbox."""
    how = recipe(emulation.REMOTE)
    sources = {*found(*how["sources"], *how["taskset_sources"])} - {MAILBOX}
    return compile_objects(how, sorted(sources), tmp_path_factory)


def glue(changes: Changes, objects: list[Path], folder: Path) -> Path:
    """Build the program with a changed mailbox."""
    text = (ROOT / MAILBOX).read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    source = folder / "mailbox.c"
    source.write_text(text, encoding="utf-8")
    return recipes.link(recipe(emulation.REMOTE), [str(source)], objects, folder / "glue")


def run(program: Path, trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the system with this program in the place of the board's, and messages of one delay."""
    monkeypatch.setattr(firmware, "program", lambda *_: program)
    emulation.run(system(), trace, emulation.POSIX, remote=DELAY)


@pytest.mark.parametrize("name", DEFECTS)
def test_the_observer_finds_what_a_replay_does_not(
    name: str, objects: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defect, trace = DEFECTS[name], tmp_path / "T.takt"
    found = rf"status 7: takt firmware: at \d+, {re.escape(defect.finding)}"
    with pytest.raises(BoardError, match=found):
        run(glue(defect.changes, objects, tmp_path), trace, monkeypatch)
    replay = takt.replay(trace)
    assert replay.difference is None
    assert replay.decisions > 10


def test_whole_glue_passes(objects: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(glue((), objects, tmp_path), tmp_path / "T.takt", monkeypatch)
    assert takt.replay(tmp_path / "T.takt").difference is None
