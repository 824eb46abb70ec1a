"""The embedded server in ordinary and in odd surroundings."""

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import psutil
import psycopg
import pytest

from schema.embedded import Server, default_data_dir, use
from schema.embedded.processes import find_postmaster
from schema.errors import EmbeddedServerError

ASK = """
import sys, pathlib, psycopg
from schema.embedded import use
with use(pathlib.Path(sys.argv[1])) as server, psycopg.connect(server.url) as connection:
    print(*connection.execute(
        "SELECT current_database(), lower('ÄÖ'), current_setting('lc_messages')").fetchone())
"""


def ask(server: Server) -> str:
    """Return the name of the database that the server's address leads to."""
    with psycopg.connect(server.url) as connection:
        row = connection.execute("SELECT current_database()").fetchone()
    assert row is not None
    return str(row[0])


def running(data_dir: Path) -> bool:
    """Say whether a server serves the folder."""
    return find_postmaster(data_dir / "postgres/data") is not None


def run(data_dir: Path, environment: Mapping[str, str]) -> str:
    """Start and ask a server from another Python with an environment of its own."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(data_dir)],
        env={"PATH": os.defpath, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    assert not running(data_dir)
    return done.stdout.strip()


def test_it_starts_and_leaves_nothing_behind(data_dir: Path) -> None:
    """The first user gets a database named footnote; after the last no process is left."""
    with use(data_dir) as server:
        assert ask(server) == "footnote"
        assert running(data_dir)
    assert not running(data_dir)
    assert not list(data_dir.glob("postgres/data.init*"))


def test_data_survive_a_restart(data_dir: Path) -> None:
    """What was committed is there at the next start, under the same address."""
    with use(data_dir) as first, psycopg.connect(first.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    with use(data_dir) as second, psycopg.connect(second.url) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
    assert first.url == second.url


def test_users_share_one_server(data_dir: Path) -> None:
    """A second user shares the first one's server, which runs until both have left."""
    with use(data_dir) as first:
        with use(data_dir) as second:
            assert first.url == second.url
        assert ask(first) == "footnote"
    assert not running(data_dir)


def test_the_first_user_may_leave_first(data_dir: Path) -> None:
    """The server isn't bound to the user that started it."""
    first = use(data_dir)
    first.__enter__()
    with use(data_dir) as second:
        first.__exit__(None, None, None)
        assert ask(second) == "footnote"
    assert not running(data_dir)


def test_an_error_in_the_users_block_stops_it_too(data_dir: Path) -> None:
    """An exception passes through and the server is stopped all the same."""
    with pytest.raises(LookupError), use(data_dir):
        raise LookupError
    assert not running(data_dir)


def test_no_port_is_open_and_strangers_are_kept_out(data_dir: Path) -> None:
    """The server listens on no network, and only its owner may reach its socket."""
    with use(data_dir):
        postmaster = find_postmaster(data_dir / "postgres/data")
        assert postmaster is not None
        assert postmaster.process.net_connections("inet") == []
        socket_dir = data_dir / "postgres/socket"
        assert stat.S_IMODE(socket_dir.stat().st_mode) == 0o700
        assert stat.S_IMODE((socket_dir / ".s.PGSQL.5432").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name", ["with space", "quo'te", 'dou"ble', "dol$lar`x`", "back\\slash", "com,ma", "grün/日本"]
)
def test_any_name_of_folder_serves(data_dir: Path, name: str) -> None:
    """Spaces, quotes, shell and configuration syntax in the path mean nothing."""
    with use(data_dir / name) as server:
        assert ask(server) == "footnote"


def test_a_long_path_gets_a_private_socket_folder(data_dir: Path) -> None:
    """A path too long for a socket address works; its socket's folder is private and removed."""
    with use(data_dir / ("long" * 25)) as server:
        assert ask(server) == "footnote"
        sockets = Path((server.data_dir / "postgres/socket.path").read_text())
        assert len(str(sockets)) < 85
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    assert not sockets.exists()


def test_a_squatted_socket_folder_is_not_used(data_dir: Path) -> None:
    """When somebody else has taken the name of the temporary folder, another is made."""
    place = data_dir / ("long" * 25)
    with use(place) as server:
        note = server.data_dir / "postgres/socket.path"
        taken = Path(note.read_text())
    taken.mkdir(mode=0o777)
    taken.chmod(0o777)
    try:
        with use(place) as server:
            assert Path(note.read_text()) != taken
            assert ask(server) == "footnote"
    finally:
        taken.rmdir()


@pytest.mark.parametrize(
    "environment",
    [
        {"LANG": "xx_XX.UTF-8", "LC_ALL": "tlh_KX", "PYTHONUTF8": "1"},
        {"LC_CTYPE": "C", "LANGUAGE": "nope"},
        {"PGDATA": "/nonexistent", "PGPORT": "1", "PGUSER": "nobody", "PGHOST": "example.invalid"},
        {"PGOPTIONS": "-c search_path=pg_temp", "PGDATABASE": "other", "PGSSLMODE": "require"},
        {"PGSERVICE": "nope", "PGSERVICEFILE": "/nonexistent"},
        {"TMPDIR": "/nonexistent folder", "PGHOSTADDR": "192.0.2.1", "PGCHANNELBINDING": "require"},
    ],
)
def test_the_callers_environment_means_nothing(
    data_dir: Path, environment: Mapping[str, str]
) -> None:
    """Missing locales, PG variables and odd temporary folders change nothing."""
    assert run(data_dir, environment) == "footnote äö C"


def test_five_racing_first_starts_make_one_server(data_dir: Path) -> None:
    """Five processes that start on an absent folder all get the same server."""
    place = data_dir / "absent"
    racers = [
        subprocess.Popen([sys.executable, "-c", ASK, str(place)], stdout=subprocess.PIPE, text=True)
        for _ in range(5)
    ]
    outcomes = [(racer.communicate()[0].strip(), racer.returncode) for racer in racers]
    assert outcomes == [("footnote äö C", 0)] * 5
    assert not running(place)


def test_threads_share_too(data_dir: Path) -> None:
    """Users in threads of one process come and go like those of several."""
    names: list[str] = []

    def come_and_go() -> None:
        for _ in range(3):
            with use(data_dir) as server:
                names.append(ask(server))

    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == ["footnote"] * 12
    assert not running(data_dir)


def test_sigterm_stops_the_server(data_dir: Path) -> None:
    """A program ended by SIGTERM takes its server along."""
    waiting = ASK + "    print('up', flush=True)\n    import time; time.sleep(60)\n"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", waiting, str(data_dir)], stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        while program.stdout.readline().strip() != "up":
            assert program.poll() is None
        program.terminate()
        assert program.wait(30) == 128 + signal.SIGTERM
    assert not running(data_dir)


def test_data_of_another_version_are_refused(data_dir: Path) -> None:
    """A data folder of another PostgreSQL is left alone, with a sentence that says so."""
    with use(data_dir):
        pass
    version = data_dir / "postgres/data/PG_VERSION"
    version.write_text("16\n")
    with (
        pytest.raises(EmbeddedServerError, match=r"PostgreSQL 16.*FOOTNOTE_DATA_DIR"),
        use(data_dir),
    ):
        pass
    version.write_text("17\n")
    with use(data_dir) as server:
        assert ask(server) == "footnote"


def test_a_server_that_does_not_start_says_why(data_dir: Path) -> None:
    """When the server ends at once, the error quotes its last words and names its log."""
    with use(data_dir):
        pass
    conf = data_dir / "postgres/data/postgresql.conf"
    kept = conf.read_text()
    conf.write_text(kept + "shared_buffers = 'much'\n")
    with pytest.raises(EmbeddedServerError, match=r"doesn't start .*server\.log"), use(data_dir):
        pass
    conf.write_text(kept)
    with use(data_dir) as server:
        assert ask(server) == "footnote"


def test_a_file_in_the_folders_place_is_refused(data_dir: Path) -> None:
    """A data folder that is a file gets one sentence."""
    place = data_dir / "file"
    place.touch()
    with pytest.raises(EmbeddedServerError, match="can't be used"), use(place):
        pass


def test_statements_do_not_reach_the_log(data_dir: Path) -> None:
    """A failing statement leaves neither its text nor its rows in the server's log."""
    with use(data_dir) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE said (word text UNIQUE)")
            connection.execute("INSERT INTO said VALUES ('secret-word')")
            with pytest.raises(psycopg.errors.UniqueViolation):
                connection.execute("INSERT INTO said VALUES ('secret-word')")
        log = server.log.read_text()
    assert "duplicate key" in log
    assert "secret-word" not in log


def test_the_default_folder_can_be_entered() -> None:
    """As root the default isn't below a home; otherwise it is the user's own."""
    chosen = default_data_dir()
    if os.geteuid() == 0:
        assert chosen == Path("/var/lib/footnote")
    else:
        assert chosen.is_relative_to(Path.home())


def test_a_foreign_process_is_no_postmaster(data_dir: Path) -> None:
    """A process is the server's only if it is a postgres that works in the data folder."""
    data = data_dir / "postgres/data"
    data.mkdir(parents=True)
    (data / "postmaster.pid").write_text(f"{psutil.Process().pid}\n{data}\n")
    assert find_postmaster(data) is None
    (data / "postmaster.pid").write_text("")
    assert find_postmaster(data) is None
    (data / "postmaster.pid").write_text("no number\n")
    assert find_postmaster(data) is None
