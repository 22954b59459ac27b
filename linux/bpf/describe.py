# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describes each function of a lowered module to the verifier: unsigned words in, a word out, 0 in place of none.

The verifier checks such a function once, and not for each caller. Call it after the last inlining.
"""

from __future__ import annotations

import re

from lower import NAME, PARAMETERS_MOST, UnknownError, split

ZERO = "%takt_zero"


def forget(body: list[str], zero: int) -> list[str]:
    """Add a 0 that the verifier does not know to each value that a loop carries.

    Else the ranges of values differ in each iteration, and the verifier sees no end. The 0 is a word of the arena.
    """
    back = edges_back(body)
    out, sums, has_sum, here = [], [], False, ""
    for line in body:
        if match := re.match(rf"({NAME}):", line):
            here = match[1]
        match = re.match(rf"  %({NAME}) = phi (ptr addrspace\(1\)|i\d+) (.*)", line)
        if match and any((name, here) in back for name in re.findall(rf", %({NAME}) \]", match[3])):
            out.append(f"  %takt_{match[1]} = phi {match[2]} {match[3]}")
            sums.append(plus_zero(match[1], match[2]))
            has_sum = True
            continue
        if sums and " = phi " not in line:
            out += sums
            sums = []
        out.append(index_by_words(line))
    return [out[0], *zeros(zero), *out[1:]] if has_sum else out


def zeros(zero: int) -> list[str]:
    """Return the lines that load the 0, as words of all widths."""
    address = f"inttoptr (i64 {zero} to ptr addrspace(1))"
    first = f"  {ZERO} = load volatile i64, ptr addrspace(1) {address}, align 8"
    return [first, *(f"  {ZERO}{width} = trunc i64 {ZERO} to i{width}" for width in (1, 8, 16, 32))]


def edges_back(body: list[str]) -> set[tuple[str, str]]:
    """Return the edges of a function that close loops, as pairs of blocks."""
    entry = block = body[0].split(":")[0]
    following: dict[str, list[str]] = {}
    for line in body:
        if match := re.match(rf"({NAME}):", line):
            block = match[1]
            following[block] = []
        following[block] += re.findall(rf"label %({NAME})", line)
    back: set[tuple[str, str]] = set()
    done: set[str] = set()
    path: list[str] = []
    on_path: set[str] = set()
    work = [(entry, False)]
    while work:
        block, is_left = work.pop()
        if is_left:
            on_path.discard(path.pop())
            continue
        if block in done:
            continue
        done.add(block)
        path.append(block)
        on_path.add(block)
        work.append((block, True))
        for name in following[block]:
            if name in on_path:
                back.add((block, name))
            else:
                work.append((name, False))
    return back


def plus_zero(name: str, kind: str) -> str:
    """Return the lines that define a value as the one that the loop carries, plus 0."""
    if kind.startswith("ptr"):
        return sum_of(name, f"%takt_{name}", ZERO)
    return f"  %{name} = add {kind} %takt_{name}, {ZERO}{'' if kind == 'i64' else kind[1:]}"


def sum_of(name: str, pointer: str, offset: str) -> str:
    """Return the lines that define a pointer as the sum of another one and an offset in bytes.

    A sum of words, because the verifier refuses to add a pointer to an offset, and the compiler takes either order.
    """
    return (
        f"  %takt_base_{name} = ptrtoint ptr addrspace(1) {pointer} to i64\n"
        f"  %takt_sum_{name} = add i64 %takt_base_{name}, {offset}\n"
        f"  %{name} = inttoptr i64 %takt_sum_{name} to ptr addrspace(1)"
    )


def index_by_words(line: str) -> str:
    """Return a line with the address of an element as a sum of words, if the index is no constant."""
    match = re.match(rf"  %({NAME}) = getelementptr (?:inbounds |nuw |nusw )*(.*)$", line)
    if match is None:
        return line
    kind, pointer, *indices = split(match[2])
    if not any("%" in index for index in indices):
        return line
    name, pointer = match[1], pointer.removeprefix("ptr addrspace(1) ")
    return (
        f"  %takt_index_{name} = getelementptr {kind}, ptr addrspace(1) null, {', '.join(indices)}\n"
        f"  %takt_offset_{name} = ptrtoint ptr addrspace(1) %takt_index_{name} to i64\n"
        + sum_of(name, pointer, f"%takt_offset_{name}")
    )


def forget_all(text: str, zero: int) -> str:
    """Apply `forget` to each function."""
    return re.sub(
        r"^(define [^\n]*\n)(.*?)^}",
        lambda match: match[1] + "\n".join(forget(match[2].splitlines(), zero)) + "\n}",
        text,
        flags=re.M | re.S,
    )


def describe(text: str, zero: int) -> str:
    """Return the module with a description of each function.

    Args:
        text: The module, all of whose values have names.
        zero: The address of a word of the arena that is 0.
    """
    return with_descriptions(forget_all(text, zero))


def description(name: str, count: int, first: int, own: int) -> list[str]:
    """Return the nodes of a function with `count` parameters.

    Args:
        name: The function.
        count: Of parameters.
        first: The number of the module's first node.
        own: The number of the function's first node.
    """
    words = ", ".join([f"!{first + 2}"] * (1 + count))
    nodes = [
        f'!{own} = distinct !DISubprogram(name: "{name.replace(".", "_")}", scope: !{first + 1}, file: !{first + 1}, '
        f"line: 1, type: !{own + 1}, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, "
        f"unit: !{first}, retainedNodes: !{own + 4})",
        f"!{own + 1} = !DISubroutineType(types: !{own + 2})",
        f"!{own + 2} = !{{{words}}}",
        f"!{own + 3} = !DILocation(line: 1, column: 1, scope: !{own})",
        f"!{own + 4} = !{{{', '.join(f'!{own + 5 + one}' for one in range(count))}}}",
    ]
    nodes += [
        f'!{own + 5 + one} = !DILocalVariable(name: "word{one}", arg: {one + 1}, scope: !{own}, '
        f"file: !{first + 1}, line: 1, type: !{first + 2})"
        for one in range(count)
    ]
    return nodes


def with_descriptions(text: str) -> str:
    """Return the module with a description of each function."""
    used = [int(number) for number in re.findall(r"^!(\d+) = ", text, re.M)]
    first = max(used, default=-1) + 1
    nodes = [
        f'!{first} = distinct !DICompileUnit(language: DW_LANG_C11, file: !{first + 1}, producer: "takt", '
        "isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)",
        f'!{first + 1} = !DIFile(filename: "core.c", directory: "takt")',
        f'!{first + 2} = !DIBasicType(name: "unsigned long long", size: 64, encoding: DW_ATE_unsigned)',
        f'!{first + 3} = !{{i32 2, !"Debug Info Version", i32 3}}',
    ]
    following = first + 4
    out, location, unused = [], "", 0
    for line in text.splitlines():
        if match := re.match(rf"define (.*)@({NAME})\((.*)\)(.*) {{$", line):
            before, name, parameters, _ = match.groups()
            count = len([one for one in re.sub(r"\([^)]*\)", "", parameters).split(",") if one.strip()])
            if count > PARAMETERS_MOST:
                raise UnknownError(f"{name} has {count} parameters")
            before = re.sub(r"\b(?:internal|private|dso_local|fastcc|hidden|local_unnamed_addr) ", "", before)
            before = re.sub(r"\bvoid $", "i64 ", before)
            nodes += description(name, count, first, following)
            location = f", !dbg !{following + 3}"
            out.append(f"define {before}@{name}({parameters}) noinline !dbg !{following} {{")
            following += 5 + count
        elif location and re.search(r"\bcall ", line) and not line.startswith("declare"):
            plain = re.sub(r" #\d+$", "", line)
            if match := re.match(rf"  (?:tail )?call void (@{NAME}.*)", plain):
                unused += 1
                plain = f"  %unused{unused} = call i64 {match[1]}"
            out.append(plain + location)
        elif location and re.match(r"  ret\b", line):
            out.append(line.replace("ret void", "ret i64 0") + location)
        else:
            location = "" if line == "}" else location
            out.append(line)
    out += [f"!llvm.dbg.cu = !{{!{first}}}"]
    if "!llvm.module.flags" in text:
        out = [re.sub(r"^(!llvm\.module\.flags = !\{)(.*)\}$", rf"\1\2, !{first + 3}}}", line) for line in out]
    else:
        out.append(f"!llvm.module.flags = !{{!{first + 3}}}")
    return re.sub(r"@([a-z_0-9]+)\.([0-9]+)\b(?!\.)", r"@\1_\2", "\n".join([*out, *nodes])) + "\n"
