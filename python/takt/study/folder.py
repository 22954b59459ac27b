# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The folder of a study: one file for each chunk that is done, and the result.

What is there is whole: a file is written beside its place, and renamed when it is on the disk. So a study can be killed
at any instant and loses the chunks at most that were being computed. The folder says whose chunks it has by the hash of
the study, so that a changed study never continues with numbers of another one. One process at a time may write.

What is read back is checked before it counts. A chunk is sealed as the one of that number and study, so that a damaged
byte, a part of it, or the file of another chunk is refused; then its rows are counted.

    study.json               name and hash of the study, and all that its numbers depend on
    chunks/00000017.parquet  the rows of chunk 17, with its seal in the metadata
    result.parquet, .csv     what was found at each point, when all chunks are there
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import polars as pl

from takt.base import csv_files, output_files, seals
from takt.base.errors import file_error, system_error
from takt.study.description import Study, digest_of
from takt.study.measures import Columns

CHUNKS = "chunks"

_DIGITS = 8
_SEAL = "takt"
_SHOWN = 12
_REMEDY = "give --fresh to forget them, or another --output"


class Folder:
    """The folder of one study.

    Args:
        path: where it is.
        study: whose it is.
    """

    def __init__(self, path: Path, study: Study) -> None:
        """Record the paths of the parts."""
        self.path = path
        self._study = study
        self._chunks = path / CHUNKS
        self._record = path / "study.json"

    @property
    def results(self) -> dict[str, Path]:
        """The files of the result by their format."""
        return {"parquet": self.path / "result.parquet", "csv": self.path / "result.csv"}

    def done(self) -> set[int]:
        """Return the finished chunks."""
        return {int(path.stem) for path in self._chunks.glob("[0-9]" * _DIGITS + ".parquet")}

    def write(self, number: int, columns: Columns) -> None:
        """Keep a chunk."""
        data = BytesIO()
        pl.DataFrame(columns).write_parquet(data, metadata={_SEAL: seals.blank(self._label_of(number))})
        output_files.write(self._path_of(number), seals.sealed(data.getvalue()), is_own=True)

    def read(self, number: int) -> Columns:
        """Read a chunk.

        Raises:
            InputError: it is not the whole chunk, as it was written.
        """
        path = self._path_of(number)
        try:
            return self._checked(number, output_files.read_own(path))
        except OSError as error:
            raise system_error("read", path, error) from None
        except ValueError as error:
            raise file_error(path, f"damaged chunk: {error}; delete it and run again", "damaged") from None

    def _checked(self, number: int, data: bytes) -> Columns:
        """Return the columns of a chunk's file.

        Raises:
            ValueError: it is not the whole chunk; the text says why.
        """
        if seals.label_of(data) != self._label_of(number):
            raise ValueError("it is another chunk, or one of another study")
        try:
            frame = pl.read_parquet(BytesIO(data))
            columns = {name: frame[name].to_numpy() for name in frame.columns}
        except (Exception, pl.exceptions.PanicException) as error:
            raise ValueError(f"it cannot be read ({type(error).__name__})") from None
        if frame.height != self._study.size_of(number):
            raise ValueError(f"expected {self._study.size_of(number)} rows, found {frame.height}")
        return columns

    def _label_of(self, number: int) -> str:
        """Return what the seal of a chunk says that it is."""
        return f"chunk {number} of study {self._study.digest}"

    def write_result(self, result: pl.DataFrame) -> None:
        """Keep the result."""
        data = BytesIO()
        result.write_parquet(data)
        output_files.write(self.results["parquet"], data.getvalue(), is_own=True)
        csv_files.write(self.results["csv"], result, is_own=True)

    def _path_of(self, number: int) -> Path:
        """Return the file of a chunk; names are in the order of numbers."""
        return self._chunks / f"{number:0{_DIGITS}}.parquet"

    # ---- whose it is --------------------------------------------------------------------------------

    def claim(self, fresh: bool) -> None:
        """Create the folder for this study, or check that it is this study's.

        Args:
            fresh: whether to forget what is there, this study's or another's.

        Raises:
            InputError: it is another study's.
        """
        study = self._study
        if fresh:
            chunks = map(self._path_of, self.done())
            for path in [*chunks, *self.results.values(), self._record]:
                output_files.remove(path)
        digest = self._digest()
        if digest is None:
            record = {"name": study.name, "hash": study.digest, "study": json.loads(study.document)}
            text = json.dumps(record, indent=2) + "\n"
            output_files.write(self._record, text.encode(), is_own=True)
        elif digest != study.digest:
            expected = f"expected chunks of this study ({study.digest[:_SHOWN]}), found those of {digest[:_SHOWN]}"
            raise file_error(self.path, f"{expected}: the study was changed; {_REMEDY}", "conflict")

    def _digest(self) -> str | None:
        """Read whose chunks these are; None if there are none."""
        try:
            record = json.loads(output_files.read_own(self._record))
            digest = str(record["hash"])
            if digest != digest_of(json.dumps(record["study"])):
                raise ValueError
            return digest
        except FileNotFoundError:
            if self.done():
                raise file_error(
                    self.path, f"it has chunks without a record of their study; {_REMEDY}", "conflict"
                ) from None
            return None
        except OSError as error:
            raise system_error("read", self._record, error) from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise file_error(self._record, f"this is not the record of a study; {_REMEDY}", "damaged") from None


@contextmanager
def opened(path: Path, study: Study, fresh: bool) -> Iterator[Folder]:
    """Open the folder of a study, for this process alone.

    Args:
        path: where it is; made if it is not there.
        study: whose it is.
        fresh: whether to forget what is there.

    Raises:
        InputError: it is another study's, another process writes there, or it cannot be written.
    """
    try:
        (path / CHUNKS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise system_error("write", path, error) from None
    with output_files.open_lock(path / "lock") as lock:  # until this process ends, however it does
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise file_error(path, "another process works here; give another --output", "conflict") from None
        for place in (path, path / CHUNKS):
            output_files.remove_parts(place)
        folder = Folder(path, study)
        folder.claim(fresh)
        yield folder
