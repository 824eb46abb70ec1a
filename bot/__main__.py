"""The command `footnote`."""

import logging
import sys

import typer
from typer.exceptions import Abort, Exit, TyperException

from bot.cli.ask import ask
from bot.cli.demo import demo
from bot.cli.doctor import doctor
from bot.cli.ingest import ingest_command
from bot.cli.jobs import jobs
from bot.cli.serve import migrate, run, web, worker
from bot.cli.smoke import smoke
from bot.cli.terminal import say

__all__ = ["main"]

cli = typer.Typer(
    name="footnote",
    help="Answers runbook and on-call questions, every claim footnoted, or NO_MATCH.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
cli.command("ask")(ask)
cli.command("ingest")(ingest_command)
cli.command("doctor")(doctor)
cli.command("jobs")(jobs)
cli.command("demo")(demo)
cli.command("smoke")(smoke)
cli.command("run")(run)
cli.command("web")(web)
cli.command("worker")(worker)
cli.command("migrate")(migrate)

_INTERRUPTED = 130
_BROKEN = 70


def main() -> None:
    """Run the command line. Whatever goes wrong ends in one sentence and a non-zero exit."""
    try:
        code = cli(prog_name="footnote", standalone_mode=False)
    except TyperException as error:
        say(f"footnote: {error.format_message().rstrip('.')}. See `footnote --help`.")
        sys.exit(2)
    except Exit as leaving:
        sys.exit(leaving.exit_code)
    except (Abort, KeyboardInterrupt):
        sys.exit(_INTERRUPTED)
    except Exception as error:
        logging.getLogger("footnote.cli").debug("a defect", exc_info=True)
        say(
            f"footnote: something unforeseen happened ({type(error).__name__}). That is a defect:"
            " run the command again with FOOTNOTE_LOG_LEVEL=debug and report what it prints."
        )
        sys.exit(_BROKEN)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
