# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What new users do in their first ten minutes: from README and help alone, in an empty folder, with the wheel.

Each is a script for a terminal of 80 columns (support/reader.py), and what a command writes for a browser is opened in
one. Nothing in them needs a guess: each word that is typed was read before, or is the user's own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import takt
from browser import chromium, opened
from places import CASES, ROOT, TESTS
from reader import Reader

pytest_plugins = ["installed"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = ROOT / "docs" / "how-to"
BOARDS = shutil.which("qemu-system-arm") and shutil.which("arm-none-eabi-gcc")


@pytest.fixture
def reader(tmp_path: Path, environment: Path) -> Iterator[Reader]:
    """A user who has read README."""
    folder = tmp_path / "empty"
    folder.mkdir()
    found = Reader(folder, environment / "bin")
    found.reads(README)
    yield found
    found.close()


def first(text: str) -> str:
    """Return the first paragraph of what was printed, on one line, without the note about the package's example."""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.sub(r"^examples/\S+ read from the package; takt new --example \S+ copies it ", "", paragraph)


def block(guide: str, language: str, number: int = 0) -> str:
    """Return a code block of a guide."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    return str(re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[number])


def check_page(page: Path, *words: str) -> None:
    """Open a page in a browser: it draws, complains of nothing, asks for nothing else, and shows words."""
    with chromium() as browser, opened(browser, page) as view:
        text = view.page.inner_text("body")
        assert view.errors == []
        assert view.requests == [page.as_uri()]
    assert [word for word in words if word not in text] == []


def test_an_engineer_finds_what_blocks_twelve_tasks_mends_it_and_runs_it_on_a_board(reader: Reader) -> None:
    shutil.copy(CASES / "people" / "ecu.toml", reader.folder)
    reader.own |= {"ecu.toml", "100ms"}
    said = reader.type("takt analyse ecu.toml")
    assert first(said).startswith("ecu: not guaranteed, 3 of 12 deadlines proved, 9 open; flash blocks all of them")
    late = reader.type("takt run ecu.toml")
    assert first(late).startswith("ecu: 280 of 14,401 jobs late in 2 s.")
    assert "flash" in first(late)

    reader.type(reader.hint(r"Write it: (takt analyse ecu\.toml --apply \d+ -o NEW\.toml)"))
    mended = takt.load(reader.folder / "NEW.toml")
    assert takt.analyse(mended, sensitivity=False).is_schedulable
    assert reader.type("takt analyse NEW.toml").startswith("ecu: schedulable, all 12 deadlines proved")
    assert first(reader.type("takt run NEW.toml")).startswith("ecu: none of 14,401 jobs late in 2 s.")

    if BOARDS:
        reader.type("takt run --help")
        board = reader.type("takt run NEW.toml --on cortex_m --horizon 100ms")
        assert "replayed on the host" in board
        assert "clock 15.625MHz (emulated): release " in board


def test_a_student_writes_a_file_runs_it_draws_it_and_compares_policies(reader: Reader) -> None:
    reader.type("takt new --help")
    example = reader.hint(r"Example: (takt new .*? -o \S+)")
    reader.type(example)
    (file,) = reader.folder.iterdir()
    assert (reader.folder / file.name).read_text(encoding="utf-8").count("[[task]]") == 2
    said = reader.type(f"takt run {file.name}")
    assert "late" in first(said)
    reader.type("takt run --help")
    reader.own |= {"chart.svg"}
    reader.hint(r"--gantt \S+svg")
    reader.type(f"takt run {file.name} --gantt chart.svg")
    assert "<svg" in (reader.folder / "chart.svg").read_text(encoding="utf-8")
    compared = reader.type(f"takt compare {file.name} --policy rm,edf,rate-based")
    assert "edf" in first(compared)
    rows = [line.split()[0] for line in compared.splitlines() if line]
    assert {"sensor", "control"} <= set(rows)


def test_a_teacher_shows_the_demo_its_three_questions_and_its_page(reader: Reader) -> None:
    said = reader.type("takt demo")
    page = reader.folder / reader.hint(r"page: (\S+\.html)")
    check_page(page, "iot-node", "multimedia")
    questions = re.findall(r"^    (takt .+)$", said, re.MULTILINE)
    assert len(questions) == 3
    which, proof, what_if = (reader.type(question) for question in questions)
    assert "meet" in first(which)
    assert first(proof).startswith("iot-node: hard tasks schedulable")
    assert "late" in first(what_if)
    reader.own |= {"iot.html"}
    reader.type("takt compare examples/iot_110.toml --policy fp,rate-based --report iot.html")
    check_page(reader.folder / "iot.html", "packets", "rate-based")


def test_an_inventor_tries_a_policy_in_python(reader: Reader) -> None:
    guide = (GUIDES / "write-a-policy-in-python.md").read_text(encoding="utf-8")
    reader.reads(guide)
    (reader.folder / "mine.py").write_text(block("write-a-policy-in-python.md", "python"), encoding="utf-8")
    reader.own |= {"mine.py", "mine.py:ShortestJobFirst", "python"}
    assert reader.type("python mine.py") == ""
    shown = re.findall(r"^\$ (takt run .+)$", guide, re.MULTILINE)
    package = [reader.type(line).partition("\n")[2] for line in shown]
    assert package
    own = reader.type("takt run examples/smallest.toml --policy mine.py:ShortestJobFirst")
    assert own.splitlines()[-3:] == package[0].splitlines()[-3:]
    wrong = (reader.folder / "mine.py").read_text(encoding="utf-8").replace("job.wcet", "job.length")
    (reader.folder / "mine.py").write_text(wrong.partition("tasks =")[0], encoding="utf-8")
    fault = reader.type("takt run examples/smallest.toml --policy mine.py:ShortestJobFirst", status=2)
    assert "release() failed" in " ".join(fault.split())


def test_an_inventor_builds_a_policy_in_c_from_the_package(reader: Reader) -> None:
    reader.reads((GUIDES / "use-your-own-policy-on-the-kernel.md").read_text(encoding="utf-8"))
    for line in block("use-your-own-policy-on-the-kernel.md", "sh").splitlines():
        reader.own |= {str(reader.folder)}
        said = reader.type(line)
    assert "aaabbbbcaaabbbbcaaacbbbbaaacccbbaaabbccc" in said


# ---- the commands of README ------------------------------------------------------------------------------------


CALLS = """
import sys
from takt.command.main import app
for line in sys.argv[1:]:
    try:
        app(line.split(), standalone_mode=False, prog_name="takt")
    except SystemExit as end:
        assert not end.code, line
"""

AS_TYPED = {
    "takt demo": "demo",
    "takt new": "new",
    "takt run FILE": "run examples/smallest.toml --trace run.takt",
    "--report R.html": "run examples/smallest.toml --report R.html",
    "takt run examples/machine.toml": "run examples/machine.toml",
    "takt compare FILE --policy rm,edf,rate-based": "compare examples/iot_65.toml --policy rm,edf,rate-based",
    "takt analyse FILE": "analyse examples/smallest.toml",
    "--apply N": "analyse examples/smallest.toml --apply 1 -o NEW.toml",
    "takt replay TRACE": "replay run.takt",
    "takt estimate TRACE": "estimate run.takt",
    "takt study FILE": "study examples/studies/acceptance.toml",
    "takt generate": "generate --tasks 5 --utilization 0.7",
    "takt convert IN OUT": "convert examples/formats/robot.xmlv3 robot.toml",
    "takt policies": "policies",
    "takt convert": "convert examples/formats/robot.csv robot.toml",
    "takt study": "study --help",
    "takt --help": "--help",
    "takt run": "run examples/smallest.toml --set A.preemption=non-preemptive",
    "takt compare examples/iot_110.toml": "compare examples/iot_110.toml --policy fp,rate-based --report iot.html",
    "takt analyse examples/smallest.toml": "analyse examples/smallest.toml",
    ".venv/bin/takt run examples/iot_node.toml": "run examples/iot_node.toml",
    ".venv/bin/takt analyse examples/iot_node.toml": "analyse examples/iot_node.toml",
    "takt": "--version",
}
"""How README's commands for users begin, and the words of a call of each."""

ELSEWHERE = {
    "takt run FILE --on cortex_m": ("install/test_first_ten_minutes.py", "--on cortex_m"),
    "takt run examples/iot_node.toml --on cortex_m": ("project/test_documents.py", "README.md"),
    "takt linux load FILE": ("linux/test_taktd_guest.py", "load"),
    "make wheel": ("support/installed.py", '"wheel"'),
    "pip install .": ("../tools/prepare.py", '"--no-deps", "."'),
    "pip install build/wheels/takt-*.whl": ("support/installed.py", '"install"'),
    "make blinky": ("board/test_blinky.py", '"make"'),
    "make admission": ("board/test_admission.py", '"make"'),
    "make docs": ("project/test_site.py", "docs.py"),
    "cmake -S . -B build": ("board/test_package.py", '"cmake", "-S"'),
    "make run": ("project/test_examples.py", "iot_"),
    "make test": ("../.github/workflows/tests.yml", "make test"),
    "export PATH=$PWD/.venv/bin:$PATH": ("project/test_documents.py", "TAKT"),
}
"""How its others begin, and where each runs: a file of the tests, and what stands in it."""


def named_commands() -> list[str]:
    """Return the commands of README: in code of its prose, and in blocks of a shell."""
    fences = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    lines = [line.partition("  #")[0].strip() for kind, text in fences if kind == "sh" for line in text.splitlines()]
    shown = re.findall(r"^\$ (.+)$", README, re.MULTILINE)
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    code = re.findall(r"`((?:takt|make|pip|cmake|export|--report|--apply)\b[^`]*)`", prose)
    return [each for each in [*lines, *shown, *code] if each]


def test_every_command_of_the_readme_runs(environment: Path, tmp_path: Path) -> None:
    unknown = [
        each for each in named_commands() if not any(each.startswith(known) for known in (*AS_TYPED, *ELSEWHERE))
    ]
    assert [each for each in unknown if not each.startswith("#")] == []
    assert [
        known for known in (*AS_TYPED, *ELSEWHERE) if not any(each.startswith(known) for each in named_commands())
    ] == []
    for file, text in ELSEWHERE.values():
        assert text in (TESTS / file).read_text(encoding="utf-8"), file
    calls: list[str | Path] = [environment / "bin" / "python", "-c", CALLS, *AS_TYPED.values()]
    done = subprocess.run(calls, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert {"R.html", "run.takt", "NEW.toml", "robot.toml", "iot.html"} <= {path.name for path in tmp_path.iterdir()}
