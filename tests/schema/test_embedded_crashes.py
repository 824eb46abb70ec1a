"""The embedded server after everything that can be killed was killed."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from schema.embedded import Server, use
from schema.embedded.processes import find_postmaster
from schema.errors import EmbeddedServerError

HOLD = """
import sys, pathlib, time
from schema.embedded import use
with use(pathlib.Path(sys.argv[1])) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
"""


@contextmanager
def holder(data_dir: Path) -> Generator[subprocess.Popen[str]]:
    """Run another Python that uses the server until a line comes or it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def address(program: subprocess.Popen[str]) -> str:
    """Wait until the other Python has its server, and return the address."""
    assert program.stdout is not None
    line = program.stdout.readline().strip()
    assert line, "the holder ended before its server was up"
    return line


def postgres(data_dir: Path) -> list[psutil.Process]:
    """Return every live process that works in the folder."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if Path(process.cwd()).samefile(data_dir / "postgres/data"):
                found.append(process)
    return found


def postmaster_of(data_dir: Path) -> psutil.Process:
    """Return the server's first process."""
    found = find_postmaster(data_dir / "postgres/data")
    assert found is not None
    return found.process


def kill_all(data_dir: Path) -> None:
    """Kill the server with all its processes, the first one first."""
    for process in [postmaster_of(data_dir), *postgres(data_dir)]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    deadline = time.monotonic() + 10
    while postgres(data_dir):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def write(url: str, word: str) -> None:
    """Commit a row that must survive everything."""
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (word text)")
        connection.execute("INSERT INTO kept VALUES (%s)", [word])


def kept(url: str) -> list[str]:
    """Return the committed rows."""
    with psycopg.connect(url) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM kept ORDER BY word")]


def test_kill_python(data_dir: Path) -> None:
    """After a kill -9 of its only user the server is found running, shared, and then stopped."""
    with holder(data_dir) as program:
        write(address(program), "before")
        program.kill()
        program.wait()
    before = postmaster_of(data_dir)
    with use(data_dir) as server:
        assert postmaster_of(data_dir) == before
        assert kept(server.url) == ["before"]
    assert not postgres(data_dir)


def test_kill_postmaster(data_dir: Path) -> None:
    """After a kill -9 of the postmaster the next start recovers what was committed."""
    with holder(data_dir) as program:
        write(address(program), "before")
        postmaster_of(data_dir).kill()
        program.kill()
        program.wait()
    with use(data_dir) as server:
        assert kept(server.url) == ["before"]
    assert not postgres(data_dir)


def test_kill_everything(data_dir: Path) -> None:
    """After a kill -9 of user and server alike, stale pid file and socket lock don't matter."""
    with holder(data_dir) as program:
        write(address(program), "before")
        program.kill()
        program.wait()
    kill_all(data_dir)
    assert (data_dir / "postgres/data/postmaster.pid").exists()
    assert (data_dir / "postgres/socket/.s.PGSQL.5432.lock").exists()
    with use(data_dir) as server:
        assert kept(server.url) == ["before"]
    assert not postgres(data_dir)


@pytest.mark.parametrize("content", ["", "torn", "0\n", "-7\n"])
def test_a_torn_pid_file_does_not_matter(data_dir: Path, content: str) -> None:
    """Whatever a full disk left of the pid file, the server starts."""
    with use(data_dir):
        pass
    (data_dir / "postgres/data/postmaster.pid").write_text(content)
    with use(data_dir) as server:
        write(server.url, "after")
    assert not postgres(data_dir)


def test_foreign_pid(data_dir: Path) -> None:
    """A stranger who got the dead postmaster's pid is neither believed nor harmed."""
    with holder(data_dir) as program:
        write(address(program), "before")
        program.kill()
        program.wait()
    kill_all(data_dir)
    # Of the server's own user, or PostgreSQL itself would see that it is a stranger.
    owner = (data_dir / "postgres/data").stat().st_uid if os.geteuid() == 0 else None
    with subprocess.Popen(["/bin/sleep", "60"], user=owner) as stranger:
        for stale in ("data/postmaster.pid", "socket/.s.PGSQL.5432.lock"):
            path = data_dir / "postgres" / stale
            _, *rest = path.read_text().splitlines(keepends=True)
            path.write_text(f"{stranger.pid}\n{''.join(rest)}")
        with use(data_dir) as server:
            assert kept(server.url) == ["before"]
        assert stranger.poll() is None
        stranger.kill()
    assert not postgres(data_dir)


def test_a_zombie_is_no_postmaster(data_dir: Path) -> None:
    """A dead process that nobody has reaped doesn't count as the server."""
    data = data_dir / "postgres/data"
    data.mkdir(parents=True)
    with subprocess.Popen(["/bin/true"]) as dead:
        while psutil.Process(dead.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        (data / "postmaster.pid").write_text(f"{dead.pid}\n{data}\n")
        assert find_postmaster(data) is None


def test_a_busy_backend_outlives_the_postmaster(data_dir: Path) -> None:
    """A backend that goes on computing without its postmaster is ended before a new start."""
    with use(data_dir) as server:
        write(server.url, "before")
        client = psycopg.connect(server.url)
        busy = client.info.backend_pid
        computing = threading.Thread(target=_compute, args=[client])
        computing.start()
        time.sleep(0.3)
        postmaster_of(data_dir).kill()
        time.sleep(0.3)
        assert busy in [process.pid for process in postgres(data_dir)]
        assert server.ensure_running()
        computing.join()
        assert busy not in [process.pid for process in postgres(data_dir)]
        assert kept(server.url) == ["before"]
    assert not postgres(data_dir)


def _compute(client: psycopg.Connection) -> None:
    with pytest.raises(psycopg.OperationalError), client:
        client.execute("SELECT count(*) FROM generate_series(1, 100000000000)")


def test_users_bring_a_dead_server_back(data_dir: Path) -> None:
    """All users may call ensure_running at once: one starts it, the address stays the same."""
    with use(data_dir) as server, holder(data_dir) as program:
        assert address(program) == server.url
        write(server.url, "before")
        assert not server.ensure_running()
        kill_all(data_dir)
        answers: list[bool] = []
        threads = [
            threading.Thread(target=lambda: answers.append(server.ensure_running()))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers) == [False, False, False, True]
        assert kept(server.url) == ["before"]
    with use(data_dir):
        pass  # the killed holder left nobody to stop it, unless we were the last
    assert not postgres(data_dir)


def test_a_swept_socket_folder_comes_back(data_dir: Path) -> None:
    """When the temporary socket folder was swept away, a restart makes it at the same address."""
    place = data_dir / ("long" * 25)
    with use(place) as server:
        sockets = Path((place / "postgres/socket.path").read_text())
        kill_all(place)
        for left in sockets.iterdir():
            left.unlink()
        sockets.rmdir()
        assert server.ensure_running()
        write(server.url, "after")
    assert not sockets.exists()


def test_two_starters_during_slow_recovery(data_dir: Path) -> None:
    """While one recovers from a crash others wait for it, also when the first one is killed."""
    with holder(data_dir) as program:
        url = address(program)
        write(url, "before")
        with psycopg.connect(url) as connection:
            connection.execute(
                "CREATE TABLE heavy AS SELECT n, repeat(md5(n::text), 20) AS filler"
                " FROM generate_series(1, 200000) n"
            )
        program.kill()
        program.wait()
    kill_all(data_dir)
    with holder(data_dir) as killed, holder(data_dir) as second, holder(data_dir) as third:
        deadline = time.monotonic() + 30
        while not postgres(data_dir):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        killed.kill()
        assert address(second) == address(third) == url
        assert kept(url) == ["before"]
        for program in (second, third):
            assert program.stdin is not None
            program.stdin.write("\n")
            program.stdin.flush()
            assert program.wait(60) == 0
    assert not postgres(data_dir)


def test_a_start_may_be_killed_at_any_moment(data_dir: Path) -> None:
    """However far a first start came before a kill -9, the next one succeeds."""
    chance = random.Random(7)  # noqa: S311 - moments to kill at, no secret
    for number in range(6):
        place = data_dir / str(number)
        with holder(place) as program:
            with suppress(subprocess.TimeoutExpired):
                program.wait(0.25 + chance.random())
            program.kill()
            program.wait()
        with use(place) as server:
            write(server.url, "after")
            assert kept(server.url) == ["after"]
        assert not postgres(place)


def test_a_half_made_data_directory_is_not_taken_for_a_whole_one(data_dir: Path) -> None:
    """What a killed initdb left is removed and made anew."""
    with use(data_dir):
        pass
    left = data_dir / "postgres/data.init.abc"
    (data_dir / "postgres/data").rename(left)
    (left / "global/pg_control").unlink()
    with use(data_dir) as server:
        write(server.url, "after")
    assert not left.exists()


def test_a_server_that_is_stopping_is_waited_for(data_dir: Path) -> None:
    """A server on its way out, its stopper gone, is waited for and started again."""
    with use(data_dir) as server:
        write(server.url, "before")
        with psycopg.connect(server.url):  # a smart shutdown waits for this client
            os.kill(postmaster_of(data_dir).pid, signal.SIGTERM)
            time.sleep(0.2)
            other = threading.Thread(target=server.ensure_running)
            other.start()
            time.sleep(0.2)
            assert other.is_alive()
        other.join()
        assert kept(server.url) == ["before"]
    assert not postgres(data_dir)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_server_told_to_stop_as_it_comes_up_is_started_again(
    data_dir: Path, how: signal.Signals
) -> None:
    """Whoever stops servers may meet the new one: the users get a server all the same."""
    with use(data_dir) as server:
        write(server.url, "before")
        assert any(told_as_it_comes_up(server, data_dir, how) for _ in range(5))
    assert not postgres(data_dir)


def told_as_it_comes_up(server: Server, data_dir: Path, how: signal.Signals) -> bool:
    """Crash a server, and tell the next one to stop; False when that was up too soon to be told."""
    with psycopg.connect(server.url) as connection:
        connection.execute("DROP TABLE IF EXISTS heavy")
        connection.execute(
            "CREATE TABLE heavy AS SELECT n, repeat(md5(n::text), 20) AS filler"
            " FROM generate_series(1, 200000) n"
        )
    kill_all(data_dir)
    answers: list[bool] = []
    starter = threading.Thread(target=lambda: answers.append(server.ensure_running()))
    starter.start()
    met = recovering(data_dir)
    if met is not None:
        os.kill(met.pid, how)
    starter.join()
    assert answers == [True]
    assert kept(server.url) == ["before"]
    return met is not None


def recovering(data_dir: Path) -> psutil.Process | None:
    """Wait for a server that reads what a crash left, and return its first process.

    None when it has read it all: where much else runs, that may be before we get to look.
    """
    deadline = time.monotonic() + 30
    while True:
        assert time.monotonic() < deadline
        found = find_postmaster(data_dir / "postgres/data")
        if found is not None and found.process.children():
            return None if found.ready else found.process
        time.sleep(0.002)


def test_a_server_in_another_container_is_not_doubled(data_dir: Path) -> None:
    """Somebody who listens on the socket but can't be seen as a process: a sentence, no start."""
    with use(data_dir):
        pass
    with socket.socket(socket.AF_UNIX) as unseen:
        unseen.bind(str(data_dir / "postgres/socket/.s.PGSQL.5432"))
        unseen.listen()
        with pytest.raises(EmbeddedServerError, match="can't see"), use(data_dir):
            pass
        assert not postgres(data_dir)
    with use(data_dir) as server:
        write(server.url, "after")
