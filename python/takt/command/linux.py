# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The commands `takt linux`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import typer

from takt.base.errors import ExitStatus
from takt.base.version import __version__
from takt.command.terminal import errors_to_stderr
from takt.linux import check
from takt.show.text_tables import Terminal, text_columns


def check_machine(root: Path, as_json: bool) -> None:
    """Print what the machine has and lacks; status 3 if Takt cannot run on it."""
    is_here = root == Path("/")
    with errors_to_stderr():
        findings = check.check(root)
        if is_here:
            from takt.linux import board  # it imports numpy

            findings = check.with_trial(findings, check.programs(board.place_of_programs()))
    missing = [finding.what for finding in findings if finding.state == "missing"]
    if as_json:
        document = {"version": __version__, "can_run": not missing, "findings": [asdict(one) for one in findings]}
        typer.echo(json.dumps(document, indent=2))
    else:
        rows = [(one.what, one.state, one.found, one.wanted) for one in findings]
        terminal = Terminal()
        terminal.print("Takt under Linux", "title")
        terminal.print_table(text_columns(("", "state", "found", "wanted"), rows))
        for one in findings:
            if one.remedy:
                terminal.print(f"{one.what}: {one.remedy}", indent=2)
        can = "can run here" if is_here else "can run here by these files, if its kernel loads the programs"
        verdict = f"cannot run here: {', '.join(missing)}" if missing else can
        terminal.print(f"\nTakt {verdict}")
    if missing:
        raise typer.Exit(ExitStatus.CHECK_FAILED)
