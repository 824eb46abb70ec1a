"""Plots as inline SVG, in the page's own colours, so that they follow light and dark. Pure."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

__all__ = ["bars", "risk_coverage_plot"]

_WIDTH: Final = 360
_LEFT: Final = 118
_ROW: Final = 30
_SIDE: Final = 250
_MARGIN: Final = 40
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def bars(rows: Sequence[tuple[str, Mapping[str, float]]]) -> str:
    """Return a bar for each figure, from 0 to 1, with the line of its interval."""
    height = _ROW * len(rows) + 6
    span = _WIDTH - _LEFT - 52
    drawn: list[str] = []
    for n, (name, figure) in enumerate(rows):
        top = n * _ROW + 6
        middle = top + 9
        low, high = _LEFT + span * figure["low"], _LEFT + span * figure["high"]
        drawn.append(
            f'<text x="{_LEFT - 8}" y="{middle + 4}" text-anchor="end">{escape(name)}</text>'
            f'<rect class="track" x="{_LEFT}" y="{top}" width="{span}" height="18" rx="4"/>'
            f'<rect class="bar" x="{_LEFT}" y="{top}" width="{span * figure["value"]:.1f}"'
            ' height="18" rx="4"/>'
            f'<path class="range" d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {middle - 4}v8'
            f'M{high:.1f} {middle - 4}v8"/>'
            f'<text x="{_LEFT + span + 8}" y="{middle + 4}">{figure["value"]:.3f}</text>'
        )
    return _svg(_WIDTH, height, "".join(drawn))


def risk_coverage_plot(
    curves: Sequence[tuple[str, Sequence[Sequence[float]]]], mark: tuple[float, float] | None
) -> str:
    """Return the curves of (coverage, false answers), the first drawn boldest, and a ring."""
    width, height = _SIDE + 2 * _MARGIN, _SIDE + _MARGIN + 12
    drawn = [
        f'<path class="grid" d="M{_x(tick):.1f} {_y(0):.1f}V{_y(1):.1f}'
        f'M{_x(0):.1f} {_y(tick):.1f}H{_x(1):.1f}"/>'
        f'<text class="tick" x="{_x(tick):.1f}" y="{_y(0) + 16:.1f}" text-anchor="middle">'
        f"{tick:.0%}</text>"
        f'<text class="tick" x="{_x(0) - 6:.1f}" y="{_y(tick) + 4:.1f}" text-anchor="end">'
        f"{tick:.0%}</text>"
        for tick in _TICKS
    ]
    drawn.append(
        f'<text class="tick" x="{_x(1):.1f}" y="{_y(0) + 30:.1f}" text-anchor="end">'
        "answered →</text>"
        f'<text class="tick" x="{_x(0) + 6:.1f}" y="{_y(1) + 12:.1f}">↑ false answers</text>'
    )
    for n, (_, points) in reversed(list(enumerate(curves))):
        path = "L".join(f"{_x(one):.1f} {_y(two):.1f}" for one, two in points)
        drawn.append(f'<path class="line c{n}" d="M{path}"/>')
    if mark is not None:
        drawn.append(f'<circle class="mark" cx="{_x(mark[0]):.1f}" cy="{_y(mark[1]):.1f}" r="6"/>')
    legend = "".join(f'<li class="c{n}">{escape(name)}</li>' for n, (name, _) in enumerate(curves))
    return f"{_svg(width, height, ''.join(drawn))}<ul class=legend>{legend}</ul>"


def _x(share: float) -> float:
    return _MARGIN + _SIDE * share


def _y(share: float) -> float:
    return 8 + _SIDE * (1 - share)


def _svg(width: float, height: float, inside: str) -> str:
    return f'<svg viewBox="0 0 {width} {height}" role="img">{inside}</svg>'
