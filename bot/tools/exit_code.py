"""What the exit status of a process says. Also the example of CONTRIBUTING's "A tool"."""

from typing import Annotated, Final

from pydantic import Field

from bot.tools.tool import Arguments, Context, Result

__all__ = ["ExitCode"]

_SIGNALS: Final = {
    1: "SIGHUP, the terminal is gone or the configuration is to be read again",
    2: "SIGINT, interrupted from the keyboard",
    3: "SIGQUIT",
    4: "SIGILL, an instruction that this processor doesn't have",
    6: "SIGABRT, the program gave up by itself: a failed assertion, a runtime's fatal error",
    7: "SIGBUS, memory that is mapped and can't be read",
    8: "SIGFPE, an arithmetic error",
    9: "SIGKILL, which can't be caught: the kernel out of memory, or a supervisor out of patience",
    11: "SIGSEGV, memory that isn't the program's",
    13: "SIGPIPE, whoever read its output is gone",
    14: "SIGALRM, its own timer",
    15: "SIGTERM, it was asked to stop",
    24: "SIGXCPU, its limit of processor time",
    25: "SIGXFSZ, its limit of file size",
    31: "SIGSYS, a system call that its sandbox forbids",
}
_CODES: Final = {
    0: "success",
    1: "any failure; the program's own log says which",
    2: "wrong usage, of a shell's built-in or by the program's own convention",
    124: "`timeout` ended it",
    125: "the container or the wrapper failed before the program ran",
    126: "the program was found and can't be executed",
    127: "the program wasn't found",
    255: "a status out of range, or ssh itself failed",
}
_SIGNAL_BASE: Final = 128


class ExitCodeArguments(Arguments):
    """Which status."""

    code: Annotated[int, Field(ge=0, le=255, description="The exit status, 0 to 255.")]


class ExitCode:
    """Explains a status: a signal's above 128, a shell's or a program's own below."""

    name: str = "exit_code"
    description: str = "What the exit status of a process or container means, such as 137."
    citable: bool = False
    arguments: type[ExitCodeArguments] = ExitCodeArguments

    async def run(self, arguments: ExitCodeArguments, context: Context) -> Result:
        """Return the meaning."""
        del context
        code = arguments.code
        if code in _CODES:
            return Result(f"{code}: {_CODES[code]}.")
        if code > _SIGNAL_BASE:
            number = code - _SIGNAL_BASE
            meaning = _SIGNALS.get(number, "see `kill -l`")
            return Result(f"{code} = 128 + {number}: ended by signal {number}, {meaning}.")
        return Result(f"{code}: the program's own; its documentation says what it means.")
