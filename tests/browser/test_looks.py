"""The page wide and on a phone, light and dark: all in sight, nothing that axe objects to."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from bot.playground import Backstage, Message, Playground, Tour
from tests.browser.app import running
from tests.browser.axe import findings
from tests.browser.conftest import PHONE, WIDE, Scheme, opened, shared_loop

TOUR = Tour("what about the ledger?", "and in staging?", "and kafka?", {"name": "Alerts"})
TURN: dict[str, Any] = {
    "title": "what about the ledger?",
    "outcome": "cited",
    "milliseconds": 120.0,
    "steps": [
        {
            "title": "search",
            "milliseconds": 38.0,
            "notes": ["gate: passed"],
            "table": {
                "columns": ["", "passage", "vector"],
                "rows": [{"cells": ["1", "Ledger › Fail over", "2"], "marked": True}],
            },
        }
    ],
}


async def trace(_thread: Sequence[Message]) -> Sequence[dict[str, Any]]:
    """Return one turn of every thread."""
    return [TURN]


@shared_loop()
async def furnished(slack: Playground) -> AsyncIterator[Playground]:
    """A stand-in with a tour and a trace, and the small app connected."""
    slack.offer(Backstage(tour=TOUR, trace=trace))
    async with running(slack):
        yield slack


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_surface_is_accessible(
    browser: Browser,
    furnished: Playground,
    complaints: list[str],
    size: ViewportSize,
    scheme: Scheme,
) -> None:
    """Channel, thread, menu, drawers, modal and Home have no serious finding, and fit the width."""
    async with opened(browser, complaints, size, scheme) as page:
        await page.goto(f"{furnished.base_url}/#checkout")
        await look_everywhere(page, size["width"])
    assert complaints == []


async def look_everywhere(page: Page, width: int) -> None:
    """Go through all that there is to see, and hold each to what the page promises."""
    await clean(page)
    box = page.get_by_role("textbox", name="Message #checkout")
    await box.press_sequentially("/")
    offered = page.get_by_role("listbox", name="Suggestions")
    await expect(offered).to_contain_text("QUESTION")
    await clean(page)
    place = await offered.bounding_box()
    assert place is not None
    assert place["x"] >= 0
    assert place["x"] + place["width"] <= width
    await box.fill("")
    await page.get_by_role("button", name="what about the ledger?").click()
    pane = page.get_by_role("region", name="Thread")
    await expect(pane).to_contain_text("Fail over")
    await clean(page)
    await pane.get_by_label("Actions for the message of Footnote").click()
    await clean(page)
    await page.keyboard.press("Escape")
    await pane.get_by_role("button", name="Settings").click()
    await page.get_by_role("dialog").get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert").filter(has_text="complete")).to_be_visible()
    await clean(page)
    await page.keyboard.press("Escape")
    await pane.get_by_label("Close the thread").click()
    for name, words in [("Traffic", "app_mention"), ("Trace", "gate: passed"), ("Faults", "Rate")]:
        await page.get_by_role("button", name=name, exact=True).click()
        drawer = page.get_by_role("region", name=name).first
        await expect(drawer).to_contain_text(words)
        await clean(page)
        await page.keyboard.press("Escape")
        await expect(drawer).to_be_hidden()
        await expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()
    await page.get_by_role("button", name="Footnote · Home").click()
    await expect(page.get_by_text("Documents: 31")).to_be_visible()
    await clean(page)


async def clean(page: Page) -> None:
    """Hold the page to what it promises in any state."""
    assert await findings(page) == []
    wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0


async def test_traffic_opens_to_what_was_sent(page: Page, furnished: Playground) -> None:
    """A row of the drawer opens to both sides of the exchange."""
    await furnished.post("Ana", "checkout", "hello there")
    await page.get_by_role("button", name="Traffic", exact=True).click()
    drawer = page.get_by_role("region", name="Traffic").first
    await drawer.get_by_text("message", exact=True).click()
    await expect(drawer.get_by_label("sent")).to_contain_text("hello there")


async def test_a_fault_is_switched_and_shown(page: Page, furnished: Playground) -> None:
    """A switch of the drawer works, and follows what happens elsewhere."""
    await page.get_by_role("button", name="Faults", exact=True).click()
    twice = page.get_by_role("switch", name="Deliver everything twice")
    await twice.check()
    await furnished.wait_until(lambda: furnished.deliver_twice)
    await twice.uncheck()
    await furnished.wait_until(lambda: not furnished.deliver_twice)


async def test_the_policy_holds(page: Page, complaints: list[str]) -> None:
    """A script, a style or a picture from elsewhere put into the page is refused."""
    await page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.broken = true";
        const picture = document.createElement("img");
        picture.src = "https://elsewhere.example/x.png";
        document.body.setAttribute("style", "color: red");
        document.body.append(script, picture);
    }""")
    await page.wait_for_timeout(200)
    assert await page.evaluate("window.broken === undefined")
    assert len([each for each in complaints if "Content Security Policy" in each]) >= 3
    complaints.clear()
