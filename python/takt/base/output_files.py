# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Output files: a name holds a whole file or what it held before; all that Takt writes is written here.

A file is written beside its place under a temporary name, flushed to the disk, and renamed. A write that fails, or a
signal that ends the process, removes the temporary file. What is no regular file (a pipe, a device, /dev/stdout) is
written directly, because nothing can take its place.

When not to use it: for temporary folders, which are removed as a whole.
"""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

from takt.base.errors import system_error

_PREFIX, _SUFFIX = ".takt-", ".part"
_NEW = 0o666
_PERMISSIONS = 0o777
_DEADLY = ("SIGINT", "SIGTERM", "SIGHUP")


def write(path: str | Path, data: bytes) -> None:
    """Write a file as a whole.

    Args:
        path: the file; what is there is replaced once `data` is on the disk.
        data: all of it.

    Raises:
        InputError: the file cannot be written; what was there is still there.
    """
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a file to write to, which becomes `path` when the block ends without an error; until then see its `name`.

    Permissions are those of a file that is opened in place: those of the file that is replaced, else what the umask
    leaves. A symbolic link stays and its target is replaced. Of several hard links only the named one is replaced.

    Args:
        path: the file; what is there is replaced.

    Raises:
        InputError: the file cannot be written, or the block raised an OSError; what was there is still there.
    """
    try:
        direct, replaced = _look(path)
        with _named(direct, path) if direct is not None else _beside(Path(path).resolve(), replaced) as file:
            yield file
    except OSError as error:
        raise system_error("write", path, error) from None


def remove_parts(folder: Path) -> None:
    """Remove the temporary files of processes that were killed; no other process may be writing in the folder."""
    for part in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        part.unlink(missing_ok=True)


def _look(path: str | Path) -> tuple[int | None, os.stat_result | None]:
    """Open a file that is written directly, not replaced; else give the status of the existing file."""
    try:
        found = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, None
    except ValueError:
        raise OSError("not a file name") from None
    status = os.fstat(found)
    if not stat.S_ISREG(status.st_mode) or _is_descriptor(Path(path)):
        return found, None
    os.close(found)
    return None, status


def _named(descriptor: int, path: str | Path) -> BinaryIO:
    """Make a file of a descriptor; the file's name is that by which C can open it."""
    return open(path, "wb", opener=lambda _, __: descriptor)


def _is_descriptor(path: Path) -> bool:
    """Say whether a name, such as /dev/stdout, means a file that this process has open already."""
    while not os.path.realpath(path.parent).startswith("/proc/"):
        if not path.is_symlink():
            return False
        path = path.parent / path.readlink()
    return True


@contextmanager
def _beside(target: Path, replaced: os.stat_result | None) -> Iterator[BinaryIO]:
    """Yield a temporary file in the folder of a target, which is renamed at the end, or removed after an error."""
    part = target.with_name(f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}")
    with _unwinding():
        try:
            with _named(_make(part, replaced), part) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _make(part: Path, replaced: os.stat_result | None) -> int:
    """Make a temporary file with the owner and the permissions of the file that it is to replace."""
    try:
        made = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW)
    except OSError as error:
        if replaced is None:
            raise
        raise OSError(error.errno, f"a file cannot be made in its folder: {error.strerror}") from None
    if replaced is not None:
        with suppress(OSError):  # only root gives files away
            os.fchown(made, replaced.st_uid, replaced.st_gid)
        os.fchmod(made, replaced.st_mode & _PERMISSIONS)
    return made


# ---- signals ----------------------------------------------------------------------------------------


class _EndedBySignalError(BaseException):
    """A signal that ends the process has arrived."""


def _unwind(number: int, frame: FrameType | None) -> NoReturn:
    """Handle a signal."""
    raise _EndedBySignalError(number)


@contextmanager
def _unwinding() -> Iterator[None]:
    """Let signals that would end the process at once do so after the block has cleaned up."""
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in _DEADLY if is_main and hasattr(signal, name)]
    deadly = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in deadly:
        signal.signal(number, _unwind)
    try:
        yield
    except _EndedBySignalError as ended:
        signal.signal(ended.args[0], signal.SIG_DFL)
        signal.raise_signal(ended.args[0])
    finally:
        for number in deadly:
            signal.signal(number, signal.SIG_DFL)
