"""The command `footnote`."""

import os
import sys
import traceback

__all__ = ["main"]

_USAGE, _BROKEN, _INTERRUPTED = 2, 70, 130


def main() -> None:
    """Run the command line. Whatever goes wrong ends in one sentence and a non-zero exit."""
    try:
        sys.exit(_run())
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        # The reader has gone (`footnote ask … | head`); Python would complain at its exit, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _say(f"the operating system refused something ({error.strerror}). Check disk and output.")
        sys.exit(1)
    except Exception as error:  # noqa: BLE001  # the last resort: a sentence instead of a traceback
        if _wants_details():
            traceback.print_exc(file=sys.stderr)
        _say(
            f"something unforeseen happened ({type(error).__name__}). That is a defect: run the"
            " command again with FOOTNOTE_LOG_LEVEL=debug and report what it prints."
        )
        sys.exit(_BROKEN)


def _run() -> int:
    # Imported here, so that an interrupt while everything is loaded is as quiet as a later one.
    from typer.exceptions import Abort, Exit, TyperException  # noqa: PLC0415  # a quiet Ctrl-C

    from bot.cli.commands import cli  # noqa: PLC0415  # a quiet Ctrl-C while it loads

    try:
        code = cli(prog_name="footnote", standalone_mode=False)
    except TyperException as error:
        _say(f"{_ended(error.format_message())} See `{_place(error)} --help`.")
        return _USAGE
    except Exit as leaving:
        return leaving.exit_code
    except Abort:
        return _INTERRUPTED
    return code if isinstance(code, int) else 0


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?")) else f"{sentence}."


def _place(error: Exception) -> str:
    """Return the command that was used wrongly."""
    context = getattr(error, "ctx", None)
    return "footnote" if context is None else str(context.command_path)


def _wants_details() -> bool:
    from bot.errors import BadSetting  # noqa: PLC0415  # only a failure needs it
    from bot.settings import load_settings  # noqa: PLC0415  # pydantic loads slowly

    try:
        return load_settings().log_level == "debug"
    except BadSetting:
        return False


def _say(sentence: str) -> None:
    sys.stderr.write(f"footnote: {sentence}\n")


if __name__ == "__main__":
    main()
