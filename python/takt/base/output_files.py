# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Output files: a name holds a whole file or what it held before; all that Takt writes is written here.

A file is written beside its place under a temporary name, flushed to the disk, and renamed. A write that fails, or a
signal that ends the process, removes the temporary file. What is no regular file (a pipe, a device, /dev/stdout) is
written directly, because nothing can take its place.

A command's outputs are files of their own. While one runs, its inputs are protected: an output that is an input is
refused, by whatever name, link or hard link. Programs that use the library may replace what they have read.

When not to use it: for temporary folders, which are removed as a whole.
"""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

from takt.base.errors import InputError, Problem, file_error, printable, show, system_error

_PREFIX, _SUFFIX = ".takt-", ".part"
_NEW = 0o666
_PERMISSIONS = 0o777
_DEADLY = ("SIGINT", "SIGTERM", "SIGHUP")
_OWN_ONLY = os.O_NOFOLLOW | os.O_NONBLOCK

_Identity = Path | tuple[int, int]
"""What two names of one file have in common: the place to which links lead, or its device and inode."""

_inputs: ContextVar[dict[_Identity, str] | None] = ContextVar("inputs", default=None)


def write(path: str | Path, data: bytes, *, is_own: bool = False) -> None:
    """Write a file as a whole.

    Args:
        path: the file; what is there is replaced once `data` is on the disk.
        data: all of it.
        is_own: as for replacing.

    Raises:
        InputError: the file cannot be written; what was there is still there.
    """
    with replacing(path, is_own=is_own) as file:
        file.write(data)


@contextmanager
def replacing(path: str | Path, *, is_own: bool = False) -> Iterator[BinaryIO]:
    """Yield a file to write to, which becomes `path` when the block ends without an error; until then see its `name`.

    Permissions are those of a file that is opened in place: those of the file that is replaced, else what the umask
    leaves. A symbolic link stays and its target is replaced. Of several hard links only the named one is replaced.

    Args:
        path: the file; what is there is replaced.
        is_own: whether Takt chose the name, in a folder of its own; then a link there, or a device, is refused.

    Raises:
        InputError: the file cannot be written, is an input of the command, or the block raised an OSError; what was
            there is still there.
    """
    check_is_no_input(path)
    try:
        direct, replaced = _look(path, is_own=is_own)
        with _named(direct, path) if direct is not None else _beside(Path(path).resolve(), replaced) as file:
            yield file
    except OSError as error:
        raise system_error("write", path, error) from None


def open_lock(path: Path) -> BinaryIO:
    """Open a file of Takt's own that holds nothing, to lock it; it is made if it is not there.

    Raises:
        InputError: it cannot be written, or is a link.
    """
    try:
        return os.fdopen(_open(path, os.O_RDWR | os.O_CREAT, is_own=True), "rb")
    except OSError as error:
        raise system_error("write", path, error) from None


def read_own(path: Path) -> bytes:
    """Return the bytes of a file that Takt wrote in a folder of its own.

    Raises:
        OSError: it cannot be read, or is no regular file, such as a link or a pipe.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | _OWN_ONLY)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is no regular file; remove it")
        return file.read()


def remove(path: Path) -> None:
    """Remove a file, if it is there.

    Raises:
        InputError: it is an input of the command.
    """
    check_is_no_input(path)
    path.unlink(missing_ok=True)


def remove_parts(folder: Path) -> None:
    """Remove the temporary files of processes that were killed; no other process may be writing in the folder."""
    for part in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        part.unlink(missing_ok=True)


def _look(path: str | Path, *, is_own: bool) -> tuple[int | None, os.stat_result | None]:
    """Open a file that is written directly, not replaced; else return the status of the existing file."""
    try:
        found = _open(path, os.O_WRONLY | os.O_APPEND, is_own=is_own)
    except FileNotFoundError:
        return None, None
    except ValueError:
        raise OSError("not a file name") from None
    status = os.fstat(found)
    if is_own and not stat.S_ISREG(status.st_mode):
        os.close(found)
        raise OSError("it is no regular file; remove it")
    if not stat.S_ISREG(status.st_mode) or _is_descriptor(Path(path)):
        return found, None
    os.close(found)
    return None, status


def _open(path: str | Path, flags: int, *, is_own: bool) -> int:
    """Open a file; a link in a place of Takt's own is refused, also one that is put there at this moment."""
    if is_own and Path(path).is_symlink():
        raise OSError("it is a symbolic link; remove it")
    return os.open(path, flags | os.O_NOCTTY | os.O_CLOEXEC | (_OWN_ONLY if is_own else 0), _NEW)


def _named(descriptor: int, path: str | Path) -> BinaryIO:
    """Return a file object of a descriptor; its name is one by which C can open the file."""
    return open(path, "wb", opener=lambda _, __: descriptor)


def _is_descriptor(path: Path) -> bool:
    """True if a name, such as /dev/stdout, means a file that this process has open already."""
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
    """Return the descriptor of a new temporary file with the owner and permissions of the file that it replaces."""
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


# ---- inputs -----------------------------------------------------------------------------------------


@contextmanager
def inputs_protected() -> Iterator[None]:
    """Refuse in this block outputs that are files which protect named in it."""
    before = _inputs.set({})
    try:
        yield
    finally:
        _inputs.reset(before)


def protect(path: str | Path) -> None:
    """Note a file that is read, so that the command that runs, if one does, cannot replace it."""
    known = _inputs.get()
    if known is not None:
        known |= dict.fromkeys(_identities(path), _input(path))


def check_is_no_input(path: str | Path) -> None:
    """Check that a file may be replaced or removed.

    Raises:
        InputError: the command that runs reads it.
    """
    known = _inputs.get() or {}
    for identity in _identities(path) & known.keys():
        raise file_error(path, _taken(path, known[identity]), "conflict")


def check_outputs(inputs: Iterable[Path], outputs: Mapping[str, Path]) -> None:
    """Check the files of a command before it runs.

    Args:
        inputs: what it reads.
        outputs: what it writes, by the options that name them.

    Raises:
        InputError: an output is an input, or the output of another option.
    """
    known = {identity: _input(path) for path in inputs for identity in _identities(path)}
    problems = []
    for option, path in outputs.items():
        own = _identities(path)
        others = [known[identity] for identity in own & known.keys()]
        problems += [Problem(_taken(path, other), "conflict", key=option) for other in others[:1]]
        known |= dict.fromkeys(own, f"the file of {option}")
    if problems:
        raise InputError(problems)


def _input(path: str | Path) -> str:
    return f"the input {printable(str(path))}"


def _taken(path: str | Path, other: str) -> str:
    """Return the message about an output whose file is something else already."""
    return f"expected a file of its own, found {show(str(path))}, {other}; give another name"


def _identities(path: str | Path) -> set[_Identity]:
    """Return what a file has in common with its other names; nothing for what is written directly, such as a device."""
    found: set[_Identity] = set()
    with suppress(OSError, ValueError):
        found.add(Path(os.path.realpath(path)))
        status = Path(path).stat()
        return found | {(status.st_dev, status.st_ino)} if stat.S_ISREG(status.st_mode) else set()
    return found


# ---- signals ----------------------------------------------------------------------------------------


class _EndedBySignalError(BaseException):
    """A signal that ends the process has arrived."""


def _unwind(number: int, frame: FrameType | None) -> NoReturn:
    raise _EndedBySignalError(number)


@contextmanager
def _unwinding() -> Iterator[None]:
    """Delay signals that end the process until the block has cleaned up."""
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
