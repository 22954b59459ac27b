# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt help`: the help of a command, and the manual page that is made of all of them.

Source of the text: the docstrings and options of main.py, which `--help` prints. The page is roff with the macros of
man(7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from takt.base.errors import InputError, Problem, show
from takt.base.version import __version__
from takt.command.terminal import errors_to_stderr
from takt.model import catalogue


def print_help(root: Any, words: Sequence[str]) -> None:
    """Print what --help prints of a command; of none, that of takt."""
    with errors_to_stderr():
        _command_of(root, words)
    root.main([*words, "--help"], prog_name="takt", standalone_mode=False)


def print_page(root: Any, words: Sequence[str]) -> None:
    """Print the manual page of a command; of none, that of takt, which has all commands."""
    with errors_to_stderr():
        command = _command_of(root, words)
    typer.echo("\n".join(page(command, ("takt", *words))))


def _command_of(root: Any, words: Sequence[str]) -> Any:
    """Return the command that words name."""
    command = root
    for number, word in enumerate(words):
        known = {name: one for name, one in getattr(command, "commands", {}).items() if not one.hidden}
        if word not in getattr(command, "commands", {}):
            asked = " ".join(("takt", *words[: number + 1]))
            close = catalogue.alternatives(word, known) if known else "it has no commands of its own"
            raise InputError([Problem(f"no command {show(asked)}; {close}", "unknown-word")])
        command = command.commands[word]
    return command


def commands_of(group: Any, path: tuple[str, ...] = ("takt",)) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the commands that help lists, each with its words; a group before those in it."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        if not command.hidden:
            yield from commands_of(command, (*path, name))


def page(root: Any, words: tuple[str, ...] = ("takt",)) -> Iterator[str]:
    """Yield the lines of the manual page of a command with those below it.

    Args:
        root: the command.
        words: those that call it.
    """
    paragraphs = _text_of(root)
    yield f'.TH {"-".join(words).upper()} 1 "" "takt {__version__}" "Takt"'
    yield from (".SH NAME", f"{_roff('-'.join(words))} \\- {_roff(paragraphs[0].partition(':')[0].rstrip('.'))}")
    arguments = "COMMAND" if getattr(root, "commands", {}) else " ".join(_arguments(root))
    yield from (".SH SYNOPSIS", f".B {_roff(' '.join(words))}", *[f".I {_roff(arguments)}"] * bool(arguments))
    yield from ("[options]", ".SH DESCRIPTION", *_paragraphs(paragraphs), *_options(root))
    below = list(commands_of(root, words))[1:]
    yield from [".SH COMMANDS"] if below else []
    for path, command in below:
        usage = " ".join([*path, *_arguments(command)])
        yield from (f'.SS "{_roff(usage)}"', *_paragraphs(_text_of(command)), *_options(command))


def _arguments(command: Any) -> list[str]:
    return [_metavar(one) for one in command.params if one.param_type_name == "argument"]


def _text_of(command: Any) -> list[str]:
    """Return the paragraphs of a help."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", (command.help or "").strip())]


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _paragraphs(paragraphs: Sequence[str]) -> Iterator[str]:
    for text in paragraphs:
        yield from (".PP", _roff(text))


def _options(command: Any) -> Iterator[str]:
    for option in command.params:
        if not getattr(option, "help", None) or getattr(option, "hidden", False):
            continue
        names = ", ".join(option.opts) if option.param_type_name == "option" else ""
        has_value = not getattr(option, "is_flag", False)
        label = " ".join(part for part in (names, _metavar(option) if has_value else "") if part)
        yield from (".TP", f".B {_roff(label)}", _roff(option.help))


def _roff(text: str) -> str:
    """Return a text as roff: code in bold, minus signs that can be copied, no line that begins as a request."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    bold = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", safe)
    return f"\\&{bold}" if bold.startswith((".", "'")) else bold
