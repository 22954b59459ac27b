#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reader of the kernel's headers: what doxygen makes of their comments, for the page of the site about its calls.

Usage: api.py. Writes the headers as doxygen reads them to build/api/headers, runs doxygen (tools/Doxyfile), and leaves
XML in build/api/xml; fails if a name has no comment.

The headers have plain comments. Doxygen reads them if the opening one says that it is the file's, if those right before
a declaration begin with two stars, and those behind a member with two stars and an arrow. A comment before several
declarations is that of each. The members of a struct whose comment says "Private" are hidden, and so are headers that
are "Private to" a folder.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "kernel"
BUILD = ROOT / "build" / "api"
HEADERS = ["kernel/*.h", "port/template/takt_port.h", "policy/table.h"]
HEADERS += [f"core/{name}.h" for name in ("types", "trace", "resource", "server", "task", "policy")]

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
STATUS = re.compile(r'X\((\w+), (-?\d+),\s*((?:"[^"]*"\s*)+)\)')


# ---- status codes ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Status:
    """One row of the list in kernel/errors.h."""

    name: str
    value: int
    message: str


@cache
def statuses() -> list[Status]:
    """Read the list of kernel/errors.h."""
    text = (KERNEL / "errors.h").read_text(encoding="utf-8").replace("\\\n", "")
    rows = [(name, value, re.findall(r'"([^"]*)"', parts)) for name, value, parts in STATUS.findall(text)]
    return [Status(f"TAKT_{name}", int(value), "".join(parts)) for name, value, parts in rows]


def with_full_names(text: str) -> str:
    """Write ERROR_NULL and, after it, _OBJECT, as they are called in C, and as doxygen links them."""
    full = full_names()
    return re.sub(rf"(?<!\w)(?:{'|'.join(full)})\b", lambda found: f"#{full[found.group()]}", text)


@cache
def full_names() -> dict[str, str]:
    """Return the names of statuses by their short ones."""
    names = {status.name.removeprefix("TAKT_"): status.name for status in statuses()}
    return names | {name.removeprefix("ERROR"): full for name, full in names.items() if name.startswith("ERROR_")}


LICENCE = "/* SPDX-License-Identifier: Apache-2.0 OR MIT */\n"


# ---- comments as doxygen reads them ---------------------------------------------------------------------


def is_private(text: str) -> bool:
    """True if a header is private to the project."""
    opening = COMMENT.match(text.removeprefix(LICENCE))
    return opening is None or "Private to" in opening.group()


def in_doxygen(comment: str) -> str:
    """Return the inside of a comment without what doxygen would read as its own commands."""
    text = re.sub(r"<(?=[A-Za-z])", "&lt;", comment[2:-2]).replace(" .. ", " to ")
    return with_full_names(re.sub(r"#(?=\w)", r"\\#", text))


def is_in_enum(before: str) -> bool:
    """True if the preceding text is within the braces of an enum."""
    bare = COMMENT.sub("", before)
    opened = bare.rfind("{")
    return opened > bare.rfind("}") and re.search(r"\benum\b[^;{}]*$", bare[:opened]) is not None


def converted(text: str, found: re.Match[str]) -> str:
    """Return one comment as doxygen reads it."""
    comment, start, end = found.group(), found.start(), found.end()
    before = text[text.rfind("\n", 0, start) + 1 : start]
    if start == 0:
        return f"/** @file\n *{in_doxygen(comment)}*/"
    if before.strip():
        return f"/**<{in_doxygen(comment)}*/"
    is_before_declaration = re.match(r"\n[ \t]*[^\s/]", text[end:]) is not None
    if is_before_declaration and not comment.startswith("/* ----") and not is_in_enum(text[:start]):
        return f"/**{in_doxygen(comment)}*/"
    return comment


BLOCK = re.compile(r"^(/\*\*(?:[^*]|\*(?!/))*\*/\n)((?:[^\n]+\n)+)", re.MULTILINE)
PROTOTYPE = re.compile(r"[^\s/#{}][^{};]*\([^{};]*\);\n")


def with_a_comment_each(found: re.Match[str]) -> str:
    """Repeat a comment before every one of the prototypes that follow it without an empty line."""
    comment, declarations = found.groups()
    prototypes = PROTOTYPE.findall(declarations)
    return comment + (comment.join(prototypes) if "".join(prototypes) == declarations else declarations)


STRUCT = re.compile(r"(/\*\*((?:[^*]|\*(?!/))*)\*/\ntypedef struct \w+ \{\n)(.*?)(^\} \w+;)", re.MULTILINE | re.DOTALL)
HIDE, SHOW = "/** @cond */ ", "/** @endcond */ "


def with_hidden_members(found: re.Match[str]) -> str:
    """Hide the members of a private struct, but for those that its comment names."""
    head, comment, body, end = found.groups()
    said = re.search(r"\bPrivate\b(?: but for ((?:`\w+`(?:, | and )?)+))?", comment)
    if said is None:
        return found.group()
    names = re.findall(r"\w+", said.group(1) or "")
    member = re.compile(rf"^[^\n]*\b(?:{'|'.join(names) or '(?!)'});[^\n]*\n", re.MULTILINE)
    return head + HIDE + member.sub(lambda line: f"{SHOW}{line.group()}{HIDE}", body) + SHOW + end


def with_statuses(text: str) -> str:
    """Write out the enum that kernel/errors.h makes of its list."""
    values = "\n".join(f"    {status.name} = {status.value}, /**< {status.message} */" for status in statuses())
    return re.sub(
        r"#define TAKT_STATUS_ENUM\(.*?#undef TAKT_STATUS_ENUM\n",
        lambda _: f"typedef enum takt_status {{\n{values}\n}} takt_status_t;\n",
        text,
        flags=re.DOTALL,
    )


@cache
def filtered(text: str) -> str:
    """Return a header as doxygen is to read it."""
    if is_private(text):
        return ""
    bare = text.removeprefix(LICENCE)
    found = COMMENT.sub(lambda match: converted(bare, match), bare)
    return with_statuses(STRUCT.sub(with_hidden_members, BLOCK.sub(with_a_comment_each, found)))


ENUM = re.compile(r"\benum\b[^{};()]*\{(.*?)\}", re.DOTALL)
VALUE = re.compile(r"(\w+)(?:\s*=[^,@]*)?,?\s*(@?)")


def values_without_comment(header: Path) -> list[str]:
    """Return the enum values of a header that have no comment; doxygen does not check them."""
    text = re.sub(r"/\*\*<.*?\*/", "@", filtered(header.read_text(encoding="utf-8")), flags=re.DOTALL)
    bodies = ENUM.findall(re.sub(r"\([^()]*\)", "", COMMENT.sub("", text)))
    return [name for body in bodies for name, comment in VALUE.findall(body) if not comment]


# ---- which call answers what ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A function that answers a status."""

    name: str
    header: str
    answers: set[str]


CALL = re.compile(r"/\*\*((?:[^*]|\*(?!/))*)\*/\ntakt_status_t (\w+)\(")
LIKE_THE_LAST = re.compile(r"(?:Likewise|The same)\b")
MODEL = re.compile(r"[Rr]eturns as (takt_\w+)")
NOT_ANSWERED = re.compile(r"but never #(TAKT_\w+)")


def impossible_for(name: str, comment: str) -> set[str]:
    """Return the calls that a comment for several calls excludes: names distinguish threads from interrupts.

    Which interrupt calls concerns the other calls only where the comment is not for interrupts as well.
    """
    if name.endswith("_from_isr"):
        return {"TAKT_ERROR_IN_ISR", "TAKT_ERROR_LOCKED", "TAKT_ERROR_NOT_STARTED"}
    is_shared = "TAKT_ERROR_NOT_IN_ISR" in comment
    return {"TAKT_ERROR_NOT_IN_ISR", "TAKT_ERROR_INTERRUPT"} if is_shared else {"TAKT_ERROR_NOT_IN_ISR"}


def answers_of(name: str, comment: str, last: Call | None, known: dict[str, Call]) -> set[str]:
    """Return the answers of a call: those that its comment names, and those of the calls that it is compared with."""
    answers = {"TAKT_OK"} | {status.name for status in statuses() if re.search(rf"\b{status.name}\b", comment)}
    if LIKE_THE_LAST.match(comment) and "TAKT_ERROR_NULL" not in comment and last is not None:
        answers |= last.answers
    for model in MODEL.findall(comment):
        own = f"{model}_from_isr" if name.endswith("_from_isr") else model
        answers |= known.get(own, known[model]).answers
    return answers - impossible_for(name, comment) - set(NOT_ANSWERED.findall(comment))


def calls() -> list[Call]:
    """Return the calls of the public headers; those that others are compared with precede them."""
    known: dict[str, Call] = {}
    for header in [KERNEL / "thread.h", KERNEL / "mutex.h", *sorted(KERNEL.glob("*.h"))]:
        last: Call | None = None
        for text, name in CALL.findall(filtered(header.read_text(encoding="utf-8"))):
            comment = re.sub(r"\s*\n \*\s*", " ", text).strip()
            last = Call(name, f"kernel/{header.name}", answers_of(name, comment, last, known))
            known[name] = last
    return sorted(
        (call for call in known.values() if not call.name.startswith("takt_port_")), key=lambda call: call.name
    )


def tables() -> str:
    """Return which call answers what, as Markdown with Sphinx's roles."""
    found = calls()
    lines = ["## What a call answers", "", "| call | header | answers |", "|---|---|---|"]
    for call in found:
        answers = [role("enumerator", status.name) for status in statuses() if status.name in call.answers]
        lines.append(f"| {role('func', call.name)} | {call.header} | {', '.join(answers)} |")
    lines += ["", "## Which call answers a status", ""]
    lines += ["| status | value | meaning | answered by |", "|---|---|---|---|"]
    for status in statuses():
        names = [role("func", call.name) for call in found if status.name in call.answers]
        by = "all calls" if status.name == "TAKT_OK" else ", ".join(names)
        lines.append(f"| {role('enumerator', status.name)} | {status.value} | {status.message} | {by} |")
    return "\n".join(lines) + "\n"


def role(kind: str, name: str) -> str:
    """Return a link to a name of C."""
    return f"{{c:{kind}}}`{name}`"


# ---- the reference --------------------------------------------------------------------------------------


def public_headers() -> list[str]:
    """Return the headers of the reference, as paths from the root."""
    paths = [path for pattern in HEADERS for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in paths if not is_private(path.read_text(encoding="utf-8"))]


def write_headers() -> None:
    """Write the headers as doxygen reads them."""
    shutil.rmtree(BUILD, ignore_errors=True)
    for name in public_headers():
        path = BUILD / "headers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(filtered((ROOT / name).read_text(encoding="utf-8")), encoding="utf-8")


def name_files_by_path() -> None:
    """Write paths into doxygen's index, which names files without folders: two are called server.h."""
    index = BUILD / "xml" / "index.xml"
    text = index.read_text(encoding="utf-8")
    for file in re.findall(r'<compound refid="(\w+)" kind="file">', text):
        path = re.findall(r'<location file="([^"]+)"/>', (BUILD / "xml" / f"{file}.xml").read_text(encoding="utf-8"))[
            -1
        ]
        text = re.sub(rf'(?<=<compound refid="{file}" kind="file"><name>)[^<]*', path, text)
    index.write_text(text, encoding="utf-8")


def make_reference() -> int:
    """Run doxygen and return its exit status."""
    if shutil.which("doxygen") is None:
        print("api: missing; run as root: apt-get install doxygen", file=sys.stderr)
        return 1
    forgotten = [name for header in sorted(KERNEL.glob("*.h")) for name in values_without_comment(header)]
    if forgotten:
        print(f"api: no comment: {', '.join(forgotten)}", file=sys.stderr)
        return 1
    write_headers()
    status = subprocess.run(["doxygen", "tools/Doxyfile"], cwd=ROOT, check=False).returncode
    if status == 0:
        name_files_by_path()
    return status


if __name__ == "__main__":
    sys.exit(make_reference())
