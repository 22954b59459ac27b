# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt analyse`."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from takt.analysis.analyse import analyse as analyse_system
from takt.analysis.result import Analysis, Verdict
from takt.base import input_files, output_files, times
from takt.base.errors import ExitStatus, InputError, Problem, show
from takt.base.version import __version__
from takt.command.task_sets import as_option, systems_of
from takt.command.terminal import counter, errors_to_stderr
from takt.files.edits import applied_to_text, as_key, label
from takt.files.task_set_reading import loads
from takt.show import analysis_text, remedy_text
from takt.show.text_tables import Terminal


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is analysed and searched; each is the option of that name."""

    edits: list[str]
    policy: str | None
    remote: str | None
    sensitivity: bool
    remedies: bool
    reasons: str | None

    @property
    def most(self) -> int | None:
        """How many reasons are printed; None: all."""
        if self.reasons is None:
            return analysis_text.REASONS
        if self.reasons == "all":
            return None
        if self.reasons.isascii() and self.reasons.isdigit() and len(self.reasons) < 6:
            return int(self.reasons)
        raise _refusal("--reasons", f'expected a number or "all", found {show(self.reasons)}', "out-of-range")

    def analyses(self, file: Path, *, has_advice: bool = False) -> list[Analysis]:
        """Analyse a file under each requested policy; advice, which remedies replace, is in documents and on pages."""
        found = []
        for system in systems_of(file, self.policy, self.edits):
            try:
                with counter("searching for remedies: {:,} changes tried ...") as progress:
                    analysis = analyse_system(
                        system,
                        remote=times.written(self.remote or "0"),
                        sensitivity=self.sensitivity,
                        remedies=self.remedies,
                        progress=progress,
                        advice=has_advice,
                    )
                found.append(analysis)
            except InputError as error:
                raise as_option("--remote", error).in_file(label(file, self.edits)) from None
        return found

    @property
    def is_in_python(self) -> bool:
        """True if the policy is one that no file can name."""
        return self.policy is not None and ":" in self.policy

    def command(self, file: Path) -> str:
        """Return the command line that analyses a file so; "" if it can write no file."""
        if str(file) == input_files.STANDARD_STREAM or self.is_in_python:
            return ""
        options = [word for edit in self.edits for word in ("--set", edit)]
        for option, value in (("--policy", self.policy), ("--remote", self.remote)):
            options += [option, value] if value is not None else []
        return shlex.join(["takt", "analyse", str(file), *options])


def analyse(
    files: list[Path],
    question: Question,
    page: Path | None,
    *,
    as_json: bool,
    check: bool,
    is_wide: bool = False,
    in_ticks: bool = False,
) -> None:
    """Analyse files; print the results, and write a page if one is requested."""
    with errors_to_stderr():
        most = question.most
        has_advice = as_json or page is not None
        found = [(file, each) for file in files for each in question.analyses(file, has_advice=has_advice)]
        if page is not None:
            from takt.show import analysis_page as pages

            pages.write([analysis for _, analysis in found], page)
    if as_json:
        documents = [
            analysis_text.as_json(analysis, str(file)) | remedy_text.as_json(analysis) | as_key(question.edits)
            for file, analysis in found
        ]
        typer.echo(json.dumps({"version": __version__, "analyses": documents}, indent=2))
    else:
        terminal = Terminal(is_wide=is_wide, in_ticks=in_ticks)
        for number, (file, analysis) in enumerate(found):
            terminal.print() if number > 0 else None
            name = analysis.name if question.policy is None else f"{analysis.name} under {analysis.policy}"
            analysis_text.print_analysis(terminal, replace(analysis, name=name), most, question.command(file))
    if check and not all(analysis.is_schedulable for _, analysis in found):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def apply(
    files: list[Path],
    question: Question,
    number: int | None,
    output: Path | None,
    others: dict[str, bool],
    *,
    check: bool,
) -> None:
    """Write a file with the changes up to a step of its remedies, and analyse what was written.

    Args:
        files: the one to be changed.
        question: how it is analysed.
        number: of the step.
        output: where to; None: the standard output.
        others: whether options are given that do not stand beside these.
        check: whether to end with a status that says that deadlines are open.
    """
    with errors_to_stderr():
        for option in (option for option, is_given in others.items() if is_given):
            raise _refusal(option, "expected none beside --apply or --output; analyse the new file so")
        if number is None:
            raise _refusal("--output", "expected --apply N beside it, which says what is written")
        if len(files) > 1:
            raise _refusal("--apply", f"expected one file, found {len(files)}")
        file = files[0]
        found = question.analyses(file)
        if len(found) > 1:
            raise _refusal("--apply", f"expected one policy, found {len(found)}")
        edits = _edits(question, found[0], file, number)
        text = applied_to_text(input_files.decoded(input_files.read(file)), edits)
        system = loads(text, file.stem)
        after = analyse_system(system, remote=times.written(question.remote or "0"), sensitivity=False)
        if output is not None:
            output_files.write(output, text.encode())
    if output is None:
        typer.echo(text, nl=False)
    late = sum(row.verdict is not Verdict.SCHEDULABLE for row in after.tasks)
    reason = after.reason if after.is_schedulable else f"{late} of {len(after.tasks)} deadlines are not proved"
    typer.echo(f"{output or file.name}: {after.verdict.value}: {reason}", err=True)
    if check and not after.is_schedulable:
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _edits(question: Question, analysis: Analysis, file: Path, number: int) -> list[str]:
    """Return the edits of a new file: those of the options, and those up to a step of the remedies."""
    if question.is_in_python:
        raise _refusal("--policy", "expected a policy that a file can name, found one in Python")
    if not question.remedies:
        raise _refusal("--apply", "--no-remedies leaves out the search for changes; leave one of both out")
    if analysis.is_schedulable:
        raise _refusal("--apply", f"{file} needs no change: {analysis.reason}")
    found = analysis.remedies.found if analysis.remedies is not None else ()
    count = sum(len(remedy.steps) for remedy in found)
    if analysis.remedies is None or not 1 <= number <= count:
        found_so = f"expected a step from 1 to {count}, found {number}" if count else "nothing was found that helps"
        raise _refusal("--apply", f"{found_so}; see takt analyse {shlex.quote(str(file))}")
    policy = [] if question.policy is None else [f"system.policy={question.policy}"]
    return [*question.edits, *policy, *analysis.remedies.edits_of(number)]


def _refusal(option: str, message: str, code: str = "conflict") -> InputError:
    return InputError([Problem(message, code, key=option)])
