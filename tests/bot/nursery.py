"""Where the tests' processes of `footnote` come from: one that has loaded the code, and forks.

Loading is most of a start, nearly a second of a processor, and tests start hundreds of processes.
What is forked does what `python -m bot` does after its imports, as a process of its own with its
own variables and standard files. That a start also loads what it needs is for the tests which
really start it (`test_start.py`, `test_demo.py`).
"""

import asyncio
import atexit
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

__all__ = ["Child", "fork"]

_LONGEST_ORDER = 150_000  # bytes; arguments and variables go in one packet
_STANDARD_FILES = 3
# What every role imports, but for onnxruntime: it starts a thread, which a fork wouldn't have.
_LOADED = ("bot.cli.serve", "numpy", "tokenizers")


class Child:
    """A process of `footnote`: what asyncio's `Process` offers, as far as tests ask for it."""

    def __init__(self, pid: int, nursery: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._nursery = nursery
        self._ended = asyncio.Event()

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it hasn't ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def watch(self) -> None:
        """Have the running loop notice its end, for `wait` and `returncode`."""
        asyncio.get_running_loop().add_reader(self._nursery, self._notice)

    async def wait(self) -> int:
        """Wait for its end; returns the exit code, negative for a signal."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def await_end(self, seconds: float) -> int:
        """Block until it has ended, for so long; returns the exit code."""
        self._nursery.settimeout(seconds)
        try:
            return self._end()
        except TimeoutError:
            self.kill()
            raise

    def _notice(self) -> None:
        asyncio.get_running_loop().remove_reader(self._nursery)
        self._end()
        self._ended.set()

    def _end(self) -> int:
        with self._nursery:
            told = self._nursery.recv(_LONGEST_ORDER)
        self.returncode = int(told) if told else -signal.SIGKILL  # with the nursery all end
        return self.returncode


def fork(
    arguments: Sequence[str], environment: Mapping[str, str], *, out: int = 1, err: int
) -> Child:
    """Run `footnote` with nothing to read, and these files to write to; blocks for a moment."""
    nursery = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    nursery.connect(str(_door()))
    with Path(os.devnull).open("rb") as nothing:
        order = json.dumps([list(arguments), dict(environment)]).encode()
        socket.send_fds(nursery, [order], [nothing.fileno(), out, err])
    pid = nursery.recv(_LONGEST_ORDER)
    assert pid, "the nursery has ended; what it said is on standard error"
    return Child(int(pid), nursery)


@cache
def _door() -> Path:
    """Start the nursery of this process of the tests; returns where it takes orders.

    It ends, with all that it has forked, when its standard input does: at the latest with us.
    """
    folder = tempfile.TemporaryDirectory(prefix="footnote-nursery-")
    path = Path(folder.name, "door")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(str(path))
        door.listen()
        process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(door.fileno())],
            stdin=subprocess.PIPE,
            pass_fds=[door.fileno()],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # noqa: TID251  # a child inherits it
            start_new_session=True,
        )

    def close() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(close)
    return path


def _serve(door: socket.socket) -> tuple[Sequence[str], Mapping[str, str], Sequence[int]]:
    """Fork on each order and tell of each end; returns in each child, with its order."""
    waiting = selectors.PollSelector()  # of which a fork has a copy of its own
    waiting.register(door, selectors.EVENT_READ)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is door:
                connection, _ = door.accept()
                order, files, *_ = socket.recv_fds(connection, _LONGEST_ORDER, _STANDARD_FILES)
                if (pid := os.fork()) == 0:
                    return *json.loads(order), files
                for file in files:
                    os.close(file)
                connection.send(str(pid).encode())
                waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, connection))
            elif key.fileobj is sys.stdin:
                for each in waiting.get_map().values():
                    if each.data is not None:
                        os.kill(each.data[0], signal.SIGKILL)
                sys.exit()
            else:
                waiting.unregister(key.fileobj)
                os.close(key.fd)
                pid, connection = key.data
                _, status = os.waitpid(pid, 0)
                with connection, suppress(OSError):  # nobody may want to know
                    connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def _main() -> None:
    for name in _LOADED:
        import_module(name)
    assert len(os.listdir("/proc/self/task")) == 1, "an import has started a thread"  # noqa: PTH208
    gc.freeze()
    arguments, environment, files = _serve(socket.socket(fileno=int(sys.argv[1])))
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(_STANDARD_FILES, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()  # noqa: TID251  # for the settings to be read from
    os.environ.update(environment)  # noqa: TID251
    sys.argv = ["footnote", *arguments]
    import_module("bot.__main__").main()


if __name__ == "__main__":
    _main()
