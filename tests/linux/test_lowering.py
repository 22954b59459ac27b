# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lowered code computes what the source says: samples of all constructs, and domains with all of core in them.

The kernel runs the same lowered functions; here they are compiled for the host, with the arena at its address.
"""

from __future__ import annotations

import ctypes
import random
import re
import shutil
import struct
import tempfile
from pathlib import Path

import build
import describe
import flatten
import lower
import pytest
import takt
import uses
from hypothesis import given
from hypothesis import strategies as st
from oracle import System
from oracle.systems import horizons
from places import EXAMPLES, ROOT
from recipes import must_build, recipe_of_linux
from sampling import count, tries
from test_boards import GENERATORS, ONE_PROCESSOR, as_programs
from test_domain import drawn, execute, image_of

TOOLS = tuple(f"{tool}-{lower.VERSION}" for tool in ("clang", "opt", "llc", "llvm-link"))
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, TOOLS)), reason=f"no clang {lower.VERSION} here: prepare.py tools linux installs it"
)

SAMPLES = ("table", "field", "stored", "phi", "parameter", "copy", "stack", "loop", "deep")
DEEPEST = 3
OF_SIMULATED = ("build", "end", "message", "next", "peek", "post", "state", "take", "foresee", "agrees")


def ir_of(source: Path, folder: Path) -> Path:
    """Compile a file as core is compiled for the kernel."""
    target = folder / f"{source.stem}.ll"
    lower.run(*build.CLANG, f"-I{ROOT}", "-include", ROOT / "linux/bpf/loops.h", source, "-o", target)
    return target


def object_of(module: str, entries: list[str], folder: Path) -> Path:
    """Compile a lowered module for the host, with these functions for others."""
    (folder / "host.ll").write_text(lower.for_host(module))
    keep = f"-internalize-public-api-list={','.join(entries)}"
    build.optimise(folder / "host.ll", folder / "small.ll", "internalize,globaldce,default<O2>", keep)
    target = folder / "lowered.o"
    lower.run(TOOLS[2], "-relocation-model=pic", "-filetype=obj", folder / "small.ll", "-o", target)
    return target


def link(objects: list[Path | str], tables: Path, target: Path, *options: str) -> Path:
    """Link with the arena."""
    flags = [*recipe_of_linux()["cflags"], *options, f'-DTABLES="{tables}"']
    must_build(["cc", *flags, "tests/linux/arena.c", *objects, "-o", target])
    return target


# ---- samples -----------------------------------------------------------------------------------------------


def described(module: Path, entries: list[str], folder: Path) -> str:
    """Return a lowered module as the kernel gets it, its stack and the bound of its loops apart."""
    text = flatten.flatten(module.read_text(), entries, DEEPEST)
    (folder / "marked.ll").write_text(text)
    passes = f"internalize,always-inline,globaldce,{build.CLEAN},function(instnamer)"
    keep = f"-internalize-public-api-list={','.join(entries)}"
    build.optimise(folder / "marked.ll", folder / "flat.ll", passes, keep)
    return describe.describe((folder / "flat.ll").read_text(), build.ZERO)


@pytest.fixture(scope="module", params=["lowered", "described"])
def samples(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The samples compiled as they are, and lowered."""
    folder = tmp_path_factory.mktemp("samples")
    source = ROOT / "tests/linux/samples.c"
    module = ir_of(source, folder)
    lower.lower(module, [module], build.TABLES, folder)
    entries = [f"sample_{name}" for name in SAMPLES]
    text = (folder / "lowered.ll").read_text()
    if request.param == "described":
        text = described(folder / "lowered.ll", entries, folder)
        assert len(flatten.Graph(text).deepest(entries)) <= DEEPEST
    objects: list[Path | str] = [object_of(text, entries, folder)]
    lowered = link(objects, folder / "tables.bin", folder / "lowered.so", "-shared", "-fPIC")
    native = folder / "native.so"
    must_build(["cc", "-O2", "-shared", "-fPIC", source, "-o", native])
    return ctypes.CDLL(str(native)), ctypes.CDLL(str(lowered))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_lowered_sample_computes_what_its_source_says(name: str, samples: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    native, lowered = (getattr(library, f"sample_{name}") for library in samples)
    for function in (native, lowered):
        function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_uint64] * 3
    rng = random.Random(name)
    drawn = [tuple(rng.getrandbits(rng.choice((3, 10, 64))) for _ in range(3)) for _ in range(count(2000))]
    expected = [native(*words) for words in drawn]
    assert [lowered(*words) for words in drawn] == expected
    assert len(set(expected)) > len(expected) // 10


@pytest.mark.parametrize("name", ["copy", "stack", "loop"])
def test_a_loop_that_reaches_its_bound_is_noted(name: str, samples: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    """A result is right, or the function says that it did not come to its end."""
    native, lowered = (getattr(library, f"sample_{name}") for library in samples)
    for function in (native, lowered):
        function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_uint64] * 3
    iterations = ctypes.c_uint64.in_dll(samples[1], "arena_iterations")
    was_endless = ctypes.c_bool.in_dll(samples[1], "arena_was_endless")
    words, was = (377, 610, 20), list[bool]()
    for bound in range(60):
        iterations.value, was_endless.value = bound, False
        found = lowered(*words)
        assert was_endless.value or found == native(*words)
        was.append(was_endless.value)
    iterations.value = 2**64 - 1
    assert was == sorted(was, reverse=True)
    assert set(was) == {True, False}


def test_a_chain_of_calls_that_is_short_enough_stays() -> None:
    text = "define i64 @a() {\n  %1 = call i64 @b()\n  ret i64 %1\n}\ndefine i64 @b() {\n  ret i64 1\n}\n"
    assert flatten.choose(text, ["a"], 2) == []
    assert flatten.flatten(text, ["a"], 1) == text.replace("@b() {", "@b() alwaysinline {")


# ---- what no rule covers -----------------------------------------------------------------------------------

UNKNOWN = {
    "variable": ("static u64 n; u64 f(void) { return n++; }", r"a variable: @n = "),
    "result": ("double f(double a) { return a + a; }", r"a function: define .*double @f\("),
    "type": ("void g(double *); void f(void) { double a[2]; g(a); }", r"a type: double"),
    "constant": ("extern const u64 n[]; const u64 *f(void) { return n; }", r"llc-19: "),
    "place": ("u64 f(u64 (**place)(void)) { return (*place)() + 1; }", r"f: no table is known at %0"),
    "callee": ("u64 f(u64 a) { return ((u64(*)(void))a)() + 1; }", r"f: a call of inttoptr i64 %0 to ptr"),
    "alias": (
        'u64 g(void) { return 1; } u64 h(void) __attribute__((weak, alias("g"))); void *f(void) { return h; }',
        r"the address of h",
    ),
    "assembler": ('void f(void) { __asm__ volatile("r0 = 0"); }', r"f:   tail call void asm sideeffect "),
    "jump": (
        'u64 f(void) { __asm__ goto("goto %l0" : : : : away); return 1; away: return 2; }',
        r"f:   callbr void asm ",
    ),
    "memory": ("void f(char *a) { __builtin_memset(a, 1, 64); }", r"memory is set to 1"),
    "copy": ("void f(char *a, char *b, u64 n) { __builtin_memcpy(a, b, n); }", r"a copy of %2 bytes"),
    "declared": ("u64 g(u64); u64 f(u64 a) { return g(a) + 1; }", r"g is declared and not defined"),
}


@pytest.mark.parametrize(("source", "sentence"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_no_rule_covers_is_an_error(source: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "unknown.c"
    table = "const u64 table[] = {1, 2}; u64 of_table(u64 a) { return table[a]; }"
    path.write_text(f"typedef unsigned long long u64;\n{table}\n{source}\n")
    module = ir_of(path, tmp_path)
    with pytest.raises(lower.UnknownError, match=f"^{sentence}"):
        lower.lower(module, [module], build.TABLES, tmp_path)


def test_a_function_with_more_parameters_than_the_kernel_passes_is_not_described() -> None:
    words = ", ".join(f"i64 %{name}" for name in "abcdef")
    with pytest.raises(lower.UnknownError, match=r"^f has 6 parameters$"):
        describe.describe(f"define i64 @f({words}) {{\nentry:\n  ret i64 0\n}}\n", build.ZERO)


def test_a_tool_that_is_missing_or_fails_is_named() -> None:
    with pytest.raises(lower.BuildError, match=r"^there is no takt-none here: prepare\.py tools linux installs it$"):
        lower.run("takt-none")
    with pytest.raises(lower.BuildError, match=rf"^{TOOLS[1]}: .*nowhere"):
        lower.run(TOOLS[1], "/nowhere")


def test_addresses_are_those_of_the_layout() -> None:
    text = (ROOT / "linux/layout.h").read_text()
    base = int(re.findall(r"TAKT_ARENA_BASE (0x\w+)ull", text)[0], 16)
    named = {name: base + int(word, 16) for name, word in re.findall(r"(\w+) \(TAKT_ARENA_BASE \+ (0x\w+)ull\)", text)}
    assert (named["TAKT_ARENA_TABLES"], named["TAKT_ARENA_ZERO"]) == (build.TABLES, build.ZERO)
    assert int(re.findall(r"TAKT_ARENA_FRAME_BYTES (0x\w+)ull", text)[0], 16) == lower.FRAME_BYTES
    assert int(re.findall(r"TAKT_FIRST_FUNCTION (0x\w+)ull", text)[0], 16) == lower.NUMBERS
    assert int(re.findall(r"TAKT_FUNCTIONS (\d+)", text)[0]) == lower.NUMBERS_MOST
    assert lower.NUMBERS - int(re.findall(r"TAKT_ENDLESS \(TAKT_FIRST_FUNCTION - (\d)\)", text)[0]) == lower.ENDLESS


# ---- domains -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A simulated Linux around domains as they are, and around lowered ones."""
    folder = tmp_path_factory.mktemp("lowered")
    parts = build.compile_parts(folder / "parts")
    lower.run(TOOLS[3], "-S", *parts, "-o", folder / "core.ll")
    tables = lower.lower(folder / "core.ll", parts, build.TABLES, folder)
    module = lower.read((folder / "core.ll").read_text())
    notes = uses.note(module, tables, build.ENTRIES, build.TABLES)
    left_out = uses.left_out(module, tables, build.ENTRIES, uses.FAMILIES["plain"])
    (folder / "left_out").write_text("".join(f"{lower.NUMBERS + index}\n" for index in left_out))
    (folder / "tables.bin").write_bytes(tables.content + notes)
    entries = [f"takt_domain_{name}" for name in OF_SIMULATED]
    lowered = object_of((folder / "lowered.ll").read_text(), entries, folder)
    of_core = [str(path.relative_to(ROOT)) for part in build.FOLDERS for path in sorted(ROOT.glob(f"{part}/*.c"))]
    common: list[Path | str] = ["tests/linux/simulated_linux.c", *of_core]
    content = folder / "tables.bin"
    native = link(
        [*common, "remote/scheduler.c", "linux/domain.c", "linux/foresight.c", "linux/negotiation.c"],
        content,
        folder / "native_linux",
    )
    surveyed = ("tests/linux/surveyed.c", "linux/daemon/uses.c", "-Wl,--wrap=takt_domain_build")
    return native, link([*common, lowered, *surveyed], content, folder / "lowered_linux")


def check_same_log(programs: tuple[Path, Path], system: takt.System, seed: int) -> None:
    image = image_of(system)
    with tempfile.TemporaryDirectory() as folder:
        native, lowered = (execute(program, image, Path(folder), seed) for program in programs)
    assert native.status == 0
    assert lowered == native


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("example", ONE_PROCESSOR)
def test_a_lowered_domain_logs_each_example_as_the_native_one(
    example: str, seed: int, programs: tuple[Path, Path]
) -> None:
    check_same_log(programs, takt.load(EXAMPLES / f"{example}.toml"), seed)


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_a_lowered_domain_logs_random_systems_as_the_native_one(
    generator: st.SearchStrategy[System], programs: tuple[Path, Path]
) -> None:
    @tries(15)
    @given(generator, horizons(), st.integers(0, 2**32))
    def agrees(system: System, horizon: int, seed: int) -> None:
        check_same_log(programs, as_programs(system).replace(horizon=horizon), seed)

    agrees()


@pytest.mark.parametrize("paradigm", ["rates", "shares", "windows"])
def test_a_lowered_domain_logs_allocators_as_the_native_one(
    paradigm: str, programs: tuple[Path, Path], tmp_path: Path
) -> None:
    for seed, system in enumerate(drawn(paradigm, tmp_path)):
        check_same_log(programs, system, seed)


# ---- what is used ------------------------------------------------------------------------------------------
# The lowered program ends if a function is called that linux/daemon/uses.c does not find: see surveyed.c.


def test_only_what_a_domain_can_call_is_used(
    programs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (programs[1].parent / "numbers.s").read_text()
    names = {int(number): name for name, number in re.findall(r'^\.set "(\S+)", (\d+)$', lines, re.M)}
    monkeypatch.setenv("TAKT_USED", str(tmp_path / "used"))

    def used_by(system: takt.System) -> set[str]:
        assert execute(programs[1], image_of(system), tmp_path).status == 0
        found = (tmp_path / "used").read_text().split()
        return {names[number] for line in found if (number := lower.NUMBERS + int(line)) in names}

    plain, servers, change = (
        used_by(takt.load(EXAMPLES / f"{name}.toml")) for name in ("smallest", "servers", "mode_change")
    )
    assert {name for name in plain if name.startswith(("fp_", "edf_", "rm_", "takt_server_"))} == {
        "fp_level",
        "fp_release",
    }
    assert servers - plain == {"takt_server_begin_period"}
    assert {"rm_level", "edf_level", "takt_jobs_abort"} <= change  # the policy before and after
    assert len(plain) < len(names) // 10
    without = {names.get(int(number)) for number in (programs[1].parent / "left_out").read_text().split()}
    assert not without & (plain | change)
    assert {"takt_server_begin_period", "rate_based_start"} <= without


def test_notes_follow_calls_tables_and_addresses(tmp_path: Path) -> None:
    path = tmp_path / "notes.c"
    path.write_text(
        "typedef unsigned long long u64; typedef u64 (*call)(void); typedef struct { call f, g; } table;\n"
        "#define OUT __attribute__((noinline)) u64\n"
        "OUT one(void) { return 1; } OUT two(void) { return 2; } OUT three(void) { return 3; }\n"
        "const table known = {one, two};\n"
        "OUT inner(call *place) { *place = three; return 0; }\n"
        "OUT entry(call *place) { return inner(place) + 1; }\n"
        "OUT other(const table **place) { *place = &known; return 0; }\n"
    )
    module = ir_of(path, tmp_path)
    tables = lower.lower(module, [module], build.TABLES, tmp_path)
    notes = uses.note(lower.read(module.read_text()), tables, ["entry"], build.TABLES)
    words = struct.unpack(f"<{len(notes) // 8}Q", notes)
    kinds = len(lower.KINDS)
    table, end = build.TABLES, build.TABLES + len(tables.content)
    assert words == (tables.numbers["three"], table, *[end] * (4 + kinds), end + 8, 1, 3 + kinds)
    assert uses.note(lower.read(module.read_text()), tables, ["other"], table)[:8] == struct.pack("<Q", table)
