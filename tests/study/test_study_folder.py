# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The folder of a study: what is damaged there, or of somewhere else, is one line and never a part of a result."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import takt
from sampling import count
from takt.base import seals
from takt.base.errors import InputError
from takt.command import main
from takt.study import Study
from takt.study.folder import Folder, opened
from takt.study.workers import compute
from typer.testing import CliRunner

STUDY = """
schema = 1
[study]
sets = 12
chunk = 6
[generate]
tasks = 3
[grid]
utilization = [0.7, 0.9]
[[measure]]
kind = "acceptance"
tests = ["rm", "edf"]
[[measure]]
kind = "weighted"
tests = ["rm"]
over = "utilization"
"""

Change = Callable[[list[bytes]], bytes]
"""What becomes of chunk 1, of the files of all chunks."""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study that is done, in the folder kept."""
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(STUDY)
    found = takt.study.load("study.toml")
    with opened(Path("kept"), found, fresh=False) as folder:
        for number in range(found.chunks):
            folder.write(number, compute(found, number))
    return found


def chunk(number: int) -> Path:
    """The file of a chunk."""
    return Path(f"kept/chunks/{number:08}.parquet")


def refusal(study: Study, number: int) -> str:
    """The one line with which a chunk is refused."""
    with pytest.raises(InputError) as caught:
        Folder(Path("kept"), study).read(number)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{chunk(number)}: ")
    return line.removeprefix(f"{chunk(number)}: ")


def test_a_chunk_is_read_as_it_was_written(study: Study) -> None:
    for number in range(study.chunks):
        read, written = Folder(Path("kept"), study).read(number), compute(study, number)
        assert read.keys() == written.keys()
        assert all(np.array_equal(read[name], written[name]) for name in written)


def test_no_bit_of_a_chunk_can_be_another_one(study: Study) -> None:
    """Of all bits a sample in `make test`; the checksum is compared before anything else reads the file."""
    data = chunk(1).read_bytes()
    bits = range(8 * len(data))
    for bit in random.Random(1).sample(bits, min(count(2000), len(bits))):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        chunk(1).write_bytes(damaged)
        assert re.fullmatch(r"damaged chunk: its? .*; delete it and run again", refusal(study, 1)), bit


def frame_of(data: bytes) -> pl.DataFrame:
    """What a chunk holds."""
    return pl.read_parquet(BytesIO(data))


def as_file(frame: pl.DataFrame) -> bytes:
    """A file as another program writes it."""
    data = BytesIO()
    frame.write_parquet(data)
    return data.getvalue()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda all_of: all_of[0], "it is another chunk, or one of another study"),
        (lambda all_of: all_of[1][: len(all_of[1]) // 2], "it has no checksum|its checksum is wrong"),
        (lambda all_of: all_of[1] + all_of[1], "it has two checksums"),
        (lambda all_of: all_of[1] + b"\n", "its checksum is wrong"),
        (lambda _: b"", "it has no checksum"),
        (lambda all_of: as_file(frame_of(all_of[1])), "it has no checksum"),
        (lambda all_of: as_file(frame_of(all_of[1]).head(3)), "it has no checksum"),
        (lambda all_of: as_file(pl.concat([frame_of(all_of[1])] * 2)), "it has no checksum"),
    ],
)
def test_a_part_a_double_and_the_file_of_another_chunk_are_refused(study: Study, change: Change, reason: str) -> None:
    chunk(1).write_bytes(change([chunk(number).read_bytes() for number in range(study.chunks)]))
    assert re.fullmatch(f"damaged chunk: ({reason}); delete it and run again", refusal(study, 1))


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (pl.DataFrame({"point": [0] * 3}), "expected 6 rows, found 3"),
        (pl.DataFrame({"point": [0] * 12}), "expected 6 rows, found 12"),
        (None, r"it cannot be read \(ComputeError\)"),
    ],
)
def test_a_seal_does_not_make_a_file_a_whole_chunk(study: Study, frame: pl.DataFrame | None, reason: str) -> None:
    blank = seals.blank(f"chunk 1 of study {study.digest}")
    data = BytesIO(blank.encode())
    if frame is not None:
        frame.write_parquet(data, metadata={"takt": blank})
    chunk(1).write_bytes(seals.sealed(data.getvalue()))
    assert re.fullmatch(f"damaged chunk: {reason}; delete it and run again", refusal(study, 1))


def test_a_chunk_that_is_a_folder_or_gone_is_one_line(study: Study) -> None:
    chunk(1).unlink()
    assert refusal(study, 1) == "cannot read: No such file or directory"
    chunk(1).mkdir()
    assert refusal(study, 1) == "cannot read: Is a directory"


def test_a_pipe_or_a_link_in_place_of_a_chunk_or_of_the_record_is_one_line(study: Study) -> None:
    chunk(1).unlink()
    os.mkfifo(chunk(1))
    assert refusal(study, 1) == "cannot read: it is no regular file; remove it"
    chunk(1).unlink()
    chunk(1).symlink_to(chunk(2).absolute())
    assert refusal(study, 1) == "cannot read: Too many levels of symbolic links"
    Path("kept/study.json").unlink()
    os.mkfifo("kept/study.json")
    with pytest.raises(InputError, match=r"study\.json: cannot read: it is no regular file; remove it"):
        Folder(Path("kept"), study).claim(fresh=False)


def test_the_command_ends_with_that_line_and_goes_on_without_the_file(study: Study) -> None:
    words = ["study", "study.toml", "--workers", "1", "--output", "kept"]
    assert CliRunner().invoke(main.app, words).exit_code == 0
    result = Path("kept/result.csv").read_bytes()
    chunk(1).write_bytes(chunk(2).read_bytes())
    found = CliRunner().invoke(main.app, words)
    assert (found.exit_code, found.stdout) == (2, "")
    assert (
        found.stderr
        == f"{chunk(1)}: damaged chunk: it is another chunk, or one of another study; delete it and run again\n"
    )
    chunk(1).unlink()
    assert CliRunner().invoke(main.app, words).exit_code == 0
    assert Path("kept/result.csv").read_bytes() == result


def test_a_damaged_record_of_a_study_is_refused_unless_only_its_name_is(study: Study) -> None:
    path = Path("kept/study.json")
    data = path.read_bytes()
    told = set()
    for place in range(0, 8 * len(data), 3):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            Folder(Path("kept"), study).claim(fresh=False)
            record, whole = json.loads(damaged), json.loads(data)
            assert {**record, "name": ""} == {**whole, "name": ""} or "name" not in record
        except InputError as error:
            told |= {str(error)}
    assert told == {
        "kept/study.json: this is not the record of a study; give --fresh to forget them, or another --output"
    }


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "{}", '{"hash": 1, "study": {}}', "null", "\udcff", ""])
def test_what_is_no_record_of_a_study_is_one_line(study: Study, text: str) -> None:
    Path("kept/study.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match="this is not the record of a study; give --fresh"):
        Folder(Path("kept"), study).claim(fresh=False)
