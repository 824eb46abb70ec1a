"""Accessibility findings by axe-core, whose script comes with a package of the lock."""

from functools import cache
from importlib import resources
from typing import Any

from playwright.async_api import Page

WORSE = frozenset({"serious", "critical"})


@cache
def _script() -> str:
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


async def findings(page: Page, of: str = "html") -> list[str]:
    """The serious and critical ones in an element: rule, elements, what is wrong with them."""
    # Evaluated by the debugger: the page's policy would refuse a script element, rightly.
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_script())
    result: dict[str, Any] = await page.evaluate("of => axe.run(of)", of)
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in result["violations"]
        if each["impact"] in WORSE
        for node in each["nodes"]
    ]
