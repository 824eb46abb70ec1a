"""What is asked of each figure, beside what was measured in this run."""

from rich.table import Table

__all__ = ["Figures"]


class Figures:
    """Collects figures in their order."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str, bool]] = []

    def at_most(self, name: str, measured: float, asked: float, unit: str) -> None:
        """Note a figure that shall be small."""
        self._note(name, measured, f"≤ {asked:g} {unit}", unit, met=measured <= asked)

    def at_least(self, name: str, measured: float, asked: float, unit: str = "") -> None:
        """Note a figure that shall be large."""
        self._note(name, measured, f"≥ {asked:g} {unit}", unit, met=measured >= asked)

    def table(self) -> Table:
        """Return them all; what falls short is marked."""
        table = Table("figure", "measured", "asked", "", title="asked and measured")
        for name, measured, asked, met in self._rows:
            table.add_row(name, measured, asked, "" if met else "short")
        return table

    def _note(self, name: str, measured: float, asked: str, unit: str, *, met: bool) -> None:
        form = f"{measured:,.4f}" if measured < 1 else f"{measured:,.1f}"
        self._rows.append((name, f"{form} {unit}".strip(), asked.strip(), met))
