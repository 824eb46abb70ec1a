"""How far a long command is: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.cli.terminal import console, say

__all__ = ["bar"]


@contextmanager
def bar(
    what: str, *, told_each: int, total: int | None = None
) -> Generator[Callable[[int, int], None]]:
    """Give a function that is told how many are done, and of how many.

    `total` is for the time before it is first told. Without a terminal
    there is a line for every `told_each` of them and one at the end.
    """
    if not console.is_terminal:
        told = 0

        def quiet(done: int, of: int) -> None:
            nonlocal told
            if done == of or done // told_each > told:
                told = done // told_each
                say(f"{done} of {of} {what}")

        yield quiet
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done, of: progress.update(task, completed=done, total=of)
