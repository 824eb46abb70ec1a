"""Which processes serve a data folder, seen from the kernel and never from a pid file alone."""

import contextlib
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from schema.embedded.account import Account

__all__ = [
    "Postmaster",
    "disown_pid_file",
    "end_orphans",
    "find_postmaster",
    "is_alive",
    "is_launching",
]

_GONE = (psutil.NoSuchProcess, psutil.ZombieProcess, psutil.AccessDenied)
_PID_FILE_LINES = 8
_NO_PID = 2**22 + 1  # above the largest number the kernel gives


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A live postmaster of our data folder: its process, and whether it takes connections."""

    process: psutil.Process
    ready: bool

    def alive(self) -> bool:
        """Say whether it still runs; a zombie doesn't."""
        return self.process.is_running() and is_alive(self.process.pid)

    def stop(self, how: signal.Signals, seconds: float) -> bool:
        """Signal it and wait; return whether it has ended."""
        with contextlib.suppress(*_GONE):
            self.process.send_signal(how)
        deadline = time.monotonic() + seconds
        while self.alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True


def is_alive(pid: int) -> bool:
    """Say whether a process runs; a zombie doesn't."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def find_postmaster(data: Path) -> Postmaster | None:
    """Return the postmaster that serves a data folder, or None.

    postmaster.pid only says where to look: after a crash its pid may belong to anybody. The
    process must be a `postgres` program, no backend, that works inside our data folder.
    """
    try:
        lines = (data / "postmaster.pid").read_text(errors="replace").splitlines()
        pid = int(lines[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    if pid <= 0 or not _is_postmaster(pid, data):
        return None
    ready = len(lines) >= _PID_FILE_LINES and lines[7].strip() == "ready"
    try:
        return Postmaster(psutil.Process(pid), ready)
    except _GONE:
        return None


def disown_pid_file(data: Path, account: Account) -> None:
    """Make a dead postmaster's pid file acceptable to a new one.

    PostgreSQL gives up when any process has the pid. The rest of the file is kept, since it
    leads PostgreSQL to the shared memory of the dead server: to remove it, or to refuse when
    somebody still uses it.
    """
    path = data / "postmaster.pid"
    try:
        first, *rest = path.read_text(errors="surrogateescape").splitlines(keepends=True)
        pid = int(first)
    except FileNotFoundError:
        return
    except ValueError:  # empty or torn
        account.remove(path)
        return
    if pid <= 0 or psutil.pid_exists(pid):
        account.write(path, "".join([f"{_NO_PID}\n", *rest]).replace("\0", ""))


def is_launching(data: Path) -> bool:
    """Say whether a postmaster was launched that hasn't yet written its postmaster.pid."""
    return any(_command(process)[-2:] == ["-D", str(data)] for process in psutil.process_iter())


def end_orphans(data: Path, *, patience: float = 5.0) -> bool:
    """Wait until no process without a postmaster works inside the data folder.

    A backend may outlive its postmaster while it runs a statement; a second server beside it
    would damage the data. Those that don't leave by themselves are told to, then killed.
    Returns whether all are gone.
    """
    for how in (None, signal.SIGQUIT, signal.SIGKILL):
        orphans = _inside(data)
        if how is not None:
            for orphan in orphans:
                with contextlib.suppress(*_GONE):
                    orphan.send_signal(how)
        deadline = time.monotonic() + patience
        while orphans and time.monotonic() < deadline:
            time.sleep(0.02)
            orphans = _inside(data)
        if not orphans:
            return True
    return False


def _is_postmaster(pid: int, data: Path) -> bool:
    try:
        process = psutil.Process(pid)
        command = process.cmdline()
        return (
            process.status() != psutil.STATUS_ZOMBIE
            and bool(command)
            and Path(command[0]).name == "postgres"
            and Path(process.cwd()).samefile(data)
        )
    except (*_GONE, OSError):
        return False


def _inside(data: Path) -> list[psutil.Process]:
    """Return PostgreSQL's processes in a folder, not those of somebody looking around there."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        command = _command(process)
        # A backend writes its title, "postgres: …", over its command line.
        if not command or Path(command[0]).name.split(":")[0] != "postgres":
            continue
        with contextlib.suppress(*_GONE, OSError):
            if Path(process.cwd()).samefile(data):
                found.append(process)
    return found


def _command(process: psutil.Process) -> list[str]:
    """Return a process's command line: empty for a zombie, or for one that isn't ours to see."""
    try:
        return process.cmdline()
    except (*_GONE, OSError):
        return []
