# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lowers Takt's LLVM IR to code whose whole memory is one BPF arena.

The verifier of Linux refuses what core's source takes for granted: calls through pointers, tables of functions,
pointers into memory of several kinds. Core stays as it is; its IR is rewritten:

- Each pointer is one into the arena (`ptr addrspace(1)`).
- A function whose address is taken is a number. A call through a pointer is a call of a function that selects by that
  number. Its candidates are the functions that a constant or a store puts into that field, or that are in that table.
  Each candidate is called only if it is used (`uses.py`): the verifier skips the others.
- A constant is at a fixed address of the arena. The linker lays the constants out.
- An object on the stack is in a frame of the arena. Core has no recursion: each function has one frame per processor.
- A copy of a constant size is loads and stores of words.
- A function whose loop reaches the verifier's bound returns at once. Nothing is live behind it: the verifier does not
  follow a mark in the loop's own exit.

IR that this file does not know is an error, with the line. Written for clang 19.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

VERSION = "19"
SECTION = ".takt_tables"
NAME = r"[-a-zA-Z$._0-9]+"
POINTER = "ptr addrspace(1)"
ALIGNMENT = 16
PARAMETERS_MOST = 5
FRAME_BYTES = 0x1000  # as linux/layout.h
NUMBERS = 0x54414B00  # of functions begin here, as linux/layout.h; data of a domain seldom has such words
NUMBERS_MOST = 512  # as linux/layout.h
NO_TABLE = NUMBERS - 1  # of no function
ENDLESS = NUMBERS - 2  # as linux/layout.h
HOST = 'target datalayout = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"\ntarget triple = "x86_64-linux-gnu"\n'
# What a parameter or a result may be said to be. The lowered code says none of it: what is deduced of objects on the
# stack is wrong of objects in the arena.
SAID = re.compile(
    r"\b(?:noundef|nonnull|nocapture|readonly|writeonly|readnone|noalias|nofree|returned|writable|dead_on_unwind"
    r"|dereferenceable(?:_or_null)?\(\d+\)|sret\([^)]*\)|range\([^)]*\)|align \d+(?= [%@]))\s"
)
# Structures that are tables only: code that reads one is reached only if the domains have a table of that kind.
KINDS = ("takt_allocator", "takt_bandwidth_kind", "takt_job_source", "takt_locks", "takt_server_kind")
DROPPED = re.compile(r"call void @llvm\.(?:lifetime|assume|experimental\.noalias)")


class UnknownError(Exception):
    """The IR has something that the rules of this file do not cover."""


class BuildError(UnknownError):
    """A tool is missing, or refuses what the rules made; the text says which one and why."""


def run(*command: str | Path) -> str:
    """Run a tool and return what it printed.

    Raises:
        BuildError: It is missing or fails.
    """
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BuildError(f"there is no {words[0]} here: prepare.py tools linux installs it") from None
    if done.returncode != 0:
        complaint = (done.stderr.strip() or "failed").splitlines()
        raise BuildError(f"{words[0]}: {complaint[0]}")
    return done.stdout


@dataclass
class Function:
    """A function of the module: the line that opens it, and the lines of its body."""

    name: str
    result: str
    parameters: list[str]  # each a type
    body: list[str]


@dataclass
class Module:
    """The parts of a module as text."""

    types: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)  # name: what follows "constant "
    functions: dict[str, Function] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)  # name: the line
    metadata: dict[str, str] = field(default_factory=dict)
    layout: list[str] = field(default_factory=list)  # target lines


def split(text: str) -> list[str]:
    """Return the parts between the commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def read(text: str) -> Module:
    """Read a module in the text that `opt -S` writes."""
    module = Module()
    lines = iter(text.splitlines())
    for line in lines:
        if match := re.match(rf"(%{NAME}) = type (.*)", line):
            module.types[match[1]] = match[2]
        elif match := re.match(rf"@({NAME}) = (?:[a-z_]+ )*?(constant|global) (.*)", line):
            if match[2] == "global":
                raise UnknownError(f"a variable: {line[:80]}")
            module.constants[match[1]] = match[3]
        elif line.startswith("declare "):
            module.declared[named(line)] = line
        elif line.startswith("define "):
            function = read_head(line)
            for inner in lines:
                if inner == "}":
                    break
                function.body.append(inner)
            module.functions[function.name] = function
        elif match := re.match(r"(!\d+) = (?:distinct )?(!\{.*)", line):
            module.metadata[match[1]] = match[2]
        elif line.startswith("target "):
            module.layout.append(line)
    return module


def named(text: str) -> str:
    """Return the first name of a function or a constant in a text that has one."""
    names: list[str] = re.findall(rf"@({NAME})", text)
    return names[0]


def read_head(line: str) -> Function:
    """Read the line that opens a function."""
    plain = SAID.sub("", line)
    match = re.match(
        rf"define (?:[a-z_]+ )*?((?:ptr|void|i\d+|signext|zeroext)[^@]*) @({NAME})\((.*)\) [^(]*{{$", plain
    )
    if match is None:
        raise UnknownError(f"a function: {line[:160]}")
    return Function(match[2], match[1].strip(), split(match[3]), [])


# ---- sizes ----------------------------------------------------------------------------------------------


def measure(kind: str, types: dict[str, str]) -> tuple[int, int]:
    """Return the size and the alignment of a type in bytes."""
    if match := re.fullmatch(r"i(\d+)", kind):
        size = max(1, int(match[1]) // 8)
        return size, size
    if kind == "ptr":
        return 8, 8
    if kind in types:
        return measure(types[kind], types)
    if match := re.fullmatch(r"\[(\d+) x (.*)\]", kind):
        size, alignment = measure(match[2], types)
        return int(match[1]) * size, alignment
    if kind.startswith("{"):
        end, widest = 0, 1
        for part in split(kind.strip("{ }")):
            size, alignment = measure(part, types)
            end = -(-end // alignment) * alignment + size
            widest = max(widest, alignment)
        return -(-end // widest) * widest, widest
    raise UnknownError(f"a type: {kind}")


# ---- tables ---------------------------------------------------------------------------------------------


@dataclass
class Tables:
    """The constants as the linker has laid them out, and the functions in them."""

    addresses: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)  # of the functions whose addresses are taken
    kinds: dict[str, int] = field(default_factory=dict)  # numbers of KINDS, which follow
    structures: dict[str, str] = field(default_factory=dict)  # of each constant that is one
    fields: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    members: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # of a table
    content: bytes = b""


def type_of(constant: str) -> str:
    """Return the type of a constant, the text after the word `constant`."""
    if constant.startswith("["):
        depth = 0
        for place, letter in enumerate(constant):
            depth += {"[": 1, "]": -1}.get(letter, 0)
            if depth == 0:
                return constant[: place + 1]
    return constant.split(" ", 1)[0]


def taken_in(module: Module) -> set[str]:
    """Return the functions whose addresses are taken."""
    known = module.functions.keys() | module.declared.keys()
    taken: set[str] = set()
    for constant in module.constants.values():
        taken |= known & set(re.findall(rf"@({NAME})", constant))
    for function in module.functions.values():
        for line in function.body:
            operands = re.sub(rf"\bcall [^@%]*@{NAME}\(", "call (", line)
            taken |= known & set(re.findall(rf"@({NAME})", operands))
    return taken


def lay_out(module: Module, base: int, folder: Path, types: dict[str, str]) -> Tables:
    """Return the tables of all constants, which the linker places from an address on."""
    tables = Tables()
    tables.numbers = {name: NUMBERS + place for place, name in enumerate(sorted(taken_in(module)))}
    tables.kinds = {name: NUMBERS + len(tables.numbers) + place for place, name in enumerate(KINDS)}
    if len(tables.numbers) + len(KINDS) > NUMBERS_MOST:
        raise UnknownError(f"the addresses of {len(tables.numbers)} functions are taken; {NUMBERS_MOST} have numbers")
    text = [HOST, *(f"{name} = type {kind}" for name, kind in module.types.items())]
    for name, constant in module.constants.items():
        plain = re.sub(r", align \d+$", "", constant)
        tables.structures[name] = (types.get(name) or type_of(constant)).removeprefix("%struct.")
        if number := tables.kinds.get(tables.structures[name]):
            plain = f"{{ {type_of(constant)}, i64 }} {{ {plain}, i64 {number} }}"
        text.append(f'@{name} = constant {plain}, section "{SECTION}", align 16')
    text += [f"declare void @{name}()" for name in tables.numbers]
    source, loose, linked = folder / "tables.ll", folder / "tables.o", folder / "tables.elf"
    source.write_text("\n".join(text) + "\n", encoding="utf-8")
    run(f"llc-{VERSION}", "-filetype=obj", "-relocation-model=static", str(source), "-o", str(loose))
    numbers = folder / "numbers.s"
    lines = [f'.globl "{name}"\n.set "{name}", {number}\n' for name, number in tables.numbers.items()]
    numbers.write_text("".join(lines), encoding="utf-8")
    run("as", str(numbers), "-o", str(folder / "numbers.o"))
    objects = (str(loose), str(folder / "numbers.o"))
    run("ld", "-static", "-e", "0", f"--section-start={SECTION}={base:#x}", "-o", str(linked), *objects)
    content = folder / "tables.bin"
    run("objcopy", "-O", "binary", "-j", SECTION, str(linked), str(content))
    tables.content = content.read_bytes()
    for line in run("nm", str(linked)).splitlines():
        address, _, name = line.split()
        if name in module.constants:
            tables.addresses[name] = int(address, 16)
    find_members(module, tables, loose, types)
    return tables


def types_before_linking(parts: list[Path]) -> dict[str, str]:
    """Return the types of the constants as the parts of the module have them.

    The linker of IR makes one type of structures that have the same members.
    """
    pattern = re.compile(rf"@({NAME}) = (?:[a-z_]+ )*?constant (%{NAME}|\[\d+ x %{NAME}\]) ")
    return {name: kind for part in parts for name, kind in pattern.findall(part.read_text(encoding="utf-8"))}


def find_members(module: Module, tables: Tables, loose: Path, types: dict[str, str]) -> None:
    """Note which functions stand in which fields and tables, from the relocations."""
    starts = {}
    for line in run("nm", str(loose)).splitlines():
        words = line.split()
        if len(words) == 3 and words[2] in module.constants:
            starts[int(words[0], 16)] = words[2]
    order = sorted(starts)
    for line in run("readelf", "-rW", str(loose)).splitlines():
        words = line.split()
        if len(words) < 5 or words[4] not in tables.numbers:
            continue
        place = int(words[0], 16)
        start = max(at for at in order if at <= place)
        name = starts[start]
        kind = types.get(name) or type_of(module.constants[name])
        tables.members[name].add(words[4])
        offset = place - start
        if match := re.fullmatch(rf"\[\d+ x (%{NAME})\]", kind):
            kind = match[1]
            offset %= measure(type_of(module.constants[name]).removesuffix("]").split(" x ", 1)[1], module.types)[0]
        tables.fields[kind.removeprefix("%struct."), offset].add(words[4])


# ---- calls through pointers -----------------------------------------------------------------------------


class Candidates:
    """The functions that may be called through a pointer."""

    def __init__(self, module: Module, tables: Tables) -> None:
        """Add what the code itself stores into fields."""
        self.module = module
        self.tables = tables
        self.stored: dict[tuple[str, int], list[tuple[Function, str]]] = defaultdict(list)
        self.open: set[tuple[str, int]] = set()
        for function in module.functions.values():
            for line in function.body:
                match = re.match(rf"  store ptr ([@%])({NAME}), ptr .*!tbaa (!\d+)", line)
                if match and match[2] in tables.numbers:
                    tables.fields[self.field_of(match[3])].add(match[2])
                elif match and match[1] == "%":
                    self.stored[self.field_of(match[3])].append((function, f"%{match[2]}"))

    def field_of(self, tag: str) -> tuple[str, int]:
        """Return the innermost structure, and the offset in it, that an access tag names."""
        base, _, offset = split(self.module.metadata[tag].strip("!{}"))[:3]
        return self.innermost("!" + base.lstrip("!"), int(offset.split()[-1]))

    def innermost(self, node: str, offset: int) -> tuple[str, int]:
        """Return the structure without further ones at an offset of a structure's description."""
        words = split(self.module.metadata[node].removeprefix("!{").removesuffix("}"))
        starts = [int(word.split()[-1]) for word in words[2::2]]
        inside = max((place for place, start in enumerate(starts) if start <= offset), default=None)
        if inside is not None and not self.is_scalar(words[1 + 2 * inside]):
            return self.innermost(words[1 + 2 * inside], offset - starts[inside])
        return words[0].strip('!"'), offset

    def is_scalar(self, node: str) -> bool:
        """True if a type's description is that of a scalar."""
        return (
            re.match(
                r'!\{!"(?:[a-z ]*pointer|omnipotent char|_Bool|short|int|long|long long)",', self.module.metadata[node]
            )
            is not None
        )

    def of(self, function: Function, callee: str) -> set[str]:
        """Return the functions that a value of a function may be."""
        for line in function.body:
            match = re.match(rf"  {re.escape(callee)} = (.*)", line)
            if match:
                return self.of_value(function, match[1])
        return self.of_parameter(function, callee)

    def of_parameter(self, function: Function, parameter: str) -> set[str]:
        """Return the functions that callers pass."""
        names = [f"%{place_of(one)}" for one in function.parameters]
        place, found = names.index(parameter), set()
        for caller in self.module.functions.values():
            for line in caller.body:
                match = re.search(rf"call [^@%]*@{re.escape(function.name)}\((.*)\)", SAID.sub("", line))
                if match:
                    argument = split(match[1])[place].split()[-1]
                    found |= {argument[1:]} if argument.startswith("@") else self.of(caller, argument)
        return found

    def of_value(self, function: Function, value: str) -> set[str]:
        """Return the functions that the result of an instruction may be."""
        if value.startswith(("phi", "select")):
            found = set(re.findall(rf"@({NAME})", value))
            for name in re.findall(rf"\[ (%{NAME}),|ptr (%{NAME})", value):
                found |= self.of(function, name[0] or name[1])
            return found
        if match := re.match(rf"load ptr, ptr (%{NAME}|@{NAME}), align \d+, !tbaa (!\d+)", value):
            return self.of_field(self.field_of(match[2])) or self.of_table(function, match[1])
        raise UnknownError(f"{function.name}: a call of {value}")

    def of_field(self, place: tuple[str, int]) -> set[str]:
        """Return the functions that a field may have; none if it is no field of functions."""
        found = set(self.tables.fields.get(place, ()))
        if found and place not in self.open:
            self.open.add(place)
            found = found.union(*(self.of(function, value) for function, value in self.stored[place]))
            self.open.remove(place)
        return found

    def of_table(self, function: Function, place: str) -> set[str]:
        """Return the functions in the tables that a place may be in."""
        found, open_places, seen = set(), [place], set()
        while open_places:
            place = open_places.pop()
            seen.add(place)
            line = next((line for line in function.body if line.startswith(f"  {place} = ")), "")
            if match := re.match(rf"  {re.escape(place)} = getelementptr .*, ptr ([@%]{NAME}),", line):
                sources = [match[1]]
            elif " = phi ptr " in line:
                sources = re.findall(rf"\[ ([@%]{NAME}),", line)
            else:
                raise UnknownError(f"{function.name}: no table is known at {place}")
            for source in sources:
                if source.startswith("@"):
                    found |= self.tables.members[source[1:]]
                elif source not in seen:
                    open_places.append(source)
        return found


# ---- code -----------------------------------------------------------------------------------------------


class Lowering:
    """Rewrites the functions of a module."""

    def __init__(self, module: Module, tables: Tables) -> None:
        """Start with nothing rewritten."""
        self.module = module
        self.tables = tables
        self.candidates = Candidates(module, tables)
        self.selectors: dict[tuple[str, ...], str] = {}
        self.text: list[str] = []
        self.frame = 0  # bytes of all frames so far
        self.fresh = 0

    def address(self, name: str) -> str:
        """Return what stands for the address of a constant or function."""
        number = self.tables.addresses.get(name, self.tables.numbers.get(name))
        if number is None:
            raise UnknownError(f"the address of {name}")
        return f"inttoptr (i64 {number} to ptr)"

    def value(self) -> str:
        """Return a new name of a value."""
        self.fresh += 1
        return f"%takt{self.fresh}"

    def lower(self, function: Function) -> None:
        """Rewrite a function."""
        parameters = [f"{kind.split(' %')[0]} %{place_of(kind)}" for kind in function.parameters]
        head = f"define {function.result} @{function.name}({', '.join(parameters)}){inlined(len(parameters))} {{"
        lines = [rewritten for line in self.guarded(function) for rewritten in self.line(function, line)]
        self.text += [in_arena(line) for line in [head, *lines]] + ["}", ""]

    def guarded(self, function: Function) -> list[str]:
        """Return the body of a function that returns at once, and notes why, in place of two things.

        It would read a table of a kind that the domains have not, or the bound of its loops has come.
        """
        lines: list[str] = []
        known: set[str] = set()
        moved: dict[str, str] = {}
        exits: dict[str, int] = {}
        label = str(len(function.parameters))

        def go_on_if(condition: str, leave: str, number: int) -> list[str]:
            """Return the end of a block, and the label of the next one."""
            moved[label] = self.value()
            exits[leave] = number
            return [f"  br i1 {condition}, label {moved[label]}, label %{leave}", f"{moved[label][1:]}:"]

        for line in function.body:
            if match := re.match(rf"({NAME}):", line):
                label, known = match[1], set()
            tag = re.match(r"  .* = load .*!tbaa (!\d+)", line)
            kind = self.candidates.field_of(tag[1])[0] if tag else ""
            if kind in self.tables.kinds and kind not in known:
                known.add(kind)
                is_had = self.value()
                lines.append(f"  {is_had} = call i1 @takt_is_used(i64 {self.tables.kinds[kind] - NUMBERS})")
                lines += go_on_if(is_had, "takt_absent", NO_TABLE)
            lines.append(line)
            if match := re.match(rf"  (%{NAME}) = .*call .*@takt_may_continue\(\)", line):
                lines += go_on_if(match[1], "takt_endless", ENDLESS)
        lines = [
            re.sub(rf", %({NAME}) \]", lambda match: f", {moved.get(match[1], '%' + match[1])} ]", line)
            if " = phi " in line
            else line
            for line in lines
        ]
        nothing = nothing_of(function.result.split()[-1])
        for leave, number in exits.items():
            lines += [f"{leave}:", f"  call void @takt_give_up(i64 {number})", f"  ret {nothing}"]
        return lines

    def line(self, function: Function, line: str) -> list[str]:
        """Rewrite a line of a function."""
        if DROPPED.search(line):
            return []
        plain = re.sub(r"(?:, ![a-z_.A-Z]+ !\d+)+$", "", line)
        plain = re.sub(r" #\d+$", "", plain)
        if match := re.match(rf"  (%{NAME}) = alloca ([^,]*(?:\[.*\])?), align", plain):
            return [self.place(match[1], match[2])]
        if " call " in plain or plain.startswith("  call "):
            return self.call(function, plain)
        if "asm " in plain or "invoke " in plain or "va_arg" in plain:
            raise UnknownError(f"{function.name}: {line}")
        return [re.sub(rf"@({NAME})", lambda match: self.address(match[1]), plain)]

    def place(self, name: str, kind: str) -> str:
        """Return a line that places an object of the stack in the frames."""
        offset = self.frame
        size, _ = measure(kind, self.module.types)
        self.frame += -(-size // ALIGNMENT) * ALIGNMENT
        return f"  {name} = call ptr @takt_frame(i64 {offset})"

    def call(self, function: Function, line: str) -> list[str]:
        """Rewrite a call."""
        plain = SAID.sub("", line)
        match = re.match(
            rf"  (?:(%{NAME}) = )?(?:tail |musttail |notail )?call (?:fastcc )?((?:(?:zeroext|signext) )?[^@%(]+?) "
            rf"([@%]{NAME})\((.*)\)$",
            plain,
        )
        if match is None:
            raise UnknownError(f"{function.name}: {line}")
        result, kind, callee, arguments = match[1], match[2], match[3], split(match[4])
        if callee.startswith("@llvm.memcpy"):
            return self.copy(arguments)
        if callee.startswith("@llvm.memset"):
            return self.clear(arguments)
        if callee.startswith("@llvm.bpf.passthrough"):
            return [f"  {result} = freeze {arguments[1]}"]
        arguments = [re.sub(rf"@({NAME})", lambda found: self.address(found[1]), one) for one in arguments]
        if callee.startswith("%"):
            kinds = [kind, *(one.rsplit(" ", 1)[0] if "inttoptr" not in one else "ptr" for one in arguments)]
            arguments.insert(0, f"ptr {callee}")
            callee = "@" + self.selector(kinds, self.candidates.of(function, callee))
        start = f"  {result} = " if result else "  "
        return [f"{start}call {kind} {callee}({', '.join(arguments)})"]

    def selector(self, kinds: list[str], candidates: set[str]) -> str:
        """Return the function that calls one of some functions."""
        key = (*kinds, *sorted(candidates))
        if key not in self.selectors:
            self.selectors[key] = f"takt_select{len(self.selectors)}"
            self.text += self.select(self.selectors[key], kinds, sorted(candidates))
        return self.selectors[key]

    def select(self, name: str, kinds: list[str], candidates: list[str]) -> list[str]:
        """Write such a function. A number that is no candidate's, or not that of a used one, calls none."""
        result, parameters = kinds[0], kinds[1:]
        named = ", ".join(f"{kind} %a{place}" for place, kind in enumerate(parameters))
        bare = result.split()[-1]
        attribute = inlined(1 + len(parameters))
        lines = [f"define {result} @{name}(ptr %f, {named}){attribute} {{", "  %number = ptrtoint ptr %f to i64"]
        cases = " ".join(f"i64 {self.tables.numbers[one]}, label %c{place}" for place, one in enumerate(candidates))
        lines.append(f"  switch i64 %number, label %none [ {cases} ]")
        for place, one in enumerate(candidates):
            start = f"  %r{place} = " if bare != "void" else "  "
            end = f"{bare} %r{place}" if bare != "void" else "void"
            used = f"  %u{place} = call i1 @takt_is_used(i64 {self.tables.numbers[one] - NUMBERS})"
            lines += [f"c{place}:", used, f"  br i1 %u{place}, label %d{place}, label %none"]
            lines += [f"d{place}:", f"{start}call {result} @{one}({named})", f"  ret {end}"]
        lines += ["none:", "  call void @takt_give_up(i64 %number)", f"  ret {nothing_of(bare)}", "}", ""]
        return [in_arena(line) for line in lines]

    def copy(self, arguments: list[str]) -> list[str]:
        """Copy words."""
        to, source, size = (self.operand(one) for one in arguments[:3])
        lines = []
        for offset, kind in pieces(size):
            at, origin, word = self.value(), self.value(), self.value()
            lines += [
                f"  {origin} = getelementptr i8, ptr {source}, i64 {offset}",
                f"  {word} = load {kind}, ptr {origin}, align 1",
                f"  {at} = getelementptr i8, ptr {to}, i64 {offset}",
                f"  store {kind} {word}, ptr {at}, align 1",
            ]
        return [aligned(line) for line in lines]

    def clear(self, arguments: list[str]) -> list[str]:
        """Set words to 0."""
        to, value, size = (self.operand(one) for one in arguments[:3])
        if value != "0":
            raise UnknownError(f"memory is set to {value}")
        lines = []
        for offset, kind in pieces(size):
            at = self.value()
            lines += [f"  {at} = getelementptr i8, ptr {to}, i64 {offset}", f"  store {kind} 0, ptr {at}, align 1"]
        return [aligned(line) for line in lines]

    def operand(self, argument: str) -> str:
        """Return the operand of an argument, without its type."""
        if "@" in argument:
            return self.address(named(argument))
        return argument.split()[-1]


def pieces(size: str) -> list[tuple[int, str]]:
    """Divide a number of bytes into words, larger ones first."""
    if not size.isdecimal():
        raise UnknownError(f"a copy of {size} bytes")
    found, offset, left = [], 0, int(size)
    for width in (8, 4, 2, 1):
        while left >= width:
            found.append((offset, f"i{8 * width}"))
            offset, left = offset + width, left - width
    return found


def nothing_of(result: str) -> str:
    """Return what a function returns that has no result."""
    return {"void": "void", "ptr": "ptr null"}.get(result, f"{result} 0")


def aligned(line: str) -> str:
    """Return a line with the alignment of a word replaced by its size: core's records are aligned."""
    width = re.search(r"\b(?:load|store) i(\d+)", line)
    return re.sub(r"align 1$", f"align {int(width[1]) // 8}", line) if width else line


def inlined(parameters: int) -> str:
    """Return the attribute of a function with so many parameters: the kernel's programs pass five at most."""
    return " alwaysinline" if parameters > PARAMETERS_MOST else ""


def place_of(parameter: str) -> str:
    """Return the name of a parameter."""
    return parameter.rsplit("%", 1)[1]


def in_arena(line: str) -> str:
    """Return a line with each pointer as one into the arena."""
    return re.sub(r"\bptr\b(?! addrspace)", POINTER, line)


def declarations(module: Module) -> list[str]:
    """Return the declarations that the lowered code needs."""
    lines = [in_arena("declare ptr @takt_frame(i64)"), "declare i1 @takt_may_continue()"]
    lines += ["declare i1 @takt_is_used(i64)", "declare void @takt_give_up(i64)"]
    for name, line in module.declared.items():
        if re.match(r"llvm\.(umin|umax|smin|smax|usub|uadd|ctlz|cttz|ctpop|fshl|fshr|abs|bswap)\.", name):
            lines.append(re.sub(r" #\d+$", "", SAID.sub("", line)))
        elif name != "takt_may_continue" and not name.startswith("llvm."):
            raise UnknownError(f"{name} is declared and not defined")
    return lines


def for_host(text: str) -> str:
    """Return a lowered module for programs of the host: the arena is at the same address there."""
    return HOST + re.sub(r"^target .*\n", "", text, flags=re.M)


def lower(source: Path, parts: list[Path], base: int, folder: Path) -> Tables:
    """Lower a module into `lowered.ll` of a folder.

    Args:
        source: The module.
        parts: The modules of which it was linked.
        base: The address of the constants.
        folder: Where the results go.

    Returns:
        The constants.

    Raises:
        UnknownError: The module has what the rules do not cover.
        BuildError: A tool is missing or fails.
    """
    module = read(source.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    tables = lay_out(module, base, folder, types_before_linking(parts))
    lowering = Lowering(module, tables)
    for function in module.functions.values():
        lowering.lower(function)
    if lowering.frame > FRAME_BYTES:
        raise UnknownError(f"objects on the stack take {lowering.frame} bytes; a frame has {FRAME_BYTES}")
    text = [*module.layout, *(f"{name} = type {kind}" for name, kind in module.types.items())]
    text += ["", *declarations(module), "", *lowering.text]
    (folder / "lowered.ll").write_text("\n".join(text) + "\n", encoding="utf-8")
    return tables
