"""What the demo's page offers to try first. Hosts and alerts agree with the sample runbooks."""

from bot.playground import Tour

__all__ = ["ALERTING", "tour"]

ALERTING = "Alertmanager"
"""The app that posts the alert."""

_DOCUMENT = """---
title: Replace a courier's handheld scanner
service: delivery
doc_type: runbook
owner: delivery
---

# Replace a courier's handheld scanner

A scanner that stays dark after ten minutes on the dock is replaced, not repaired.

## Hand out a spare

Take a spare from locker 7, note its number, and move the courier over:

```
courierctl scanner swap --courier c-2041 --scanner s-118
```

The courier signs in again with the badge. The old scanner is locked within a minute.
"""
_ALERT = {
    "name": ALERTING,
    "text": "",
    "attachments": [
        {
            "color": "danger",
            "title": "[FIRING:1] PaymentsErrorRateHigh",
            "text": "More than 2 % of card authorisations have failed for 5 minutes.",
            "fields": [
                {"title": "service", "value": "payments", "short": True},
                {"title": "severity", "value": "page", "short": True},
            ],
            "footer": "Alertmanager",
        }
    ],
}


def tour(*, ingests: bool) -> Tour:
    """Return what to try; a document only where the app takes some in Slack."""
    return Tour(
        question="how do I roll back a deploy?",
        follow_up="and in staging?",
        unknown="how do I rotate the kafka broker certificates?",
        alert=_ALERT,
        document=("replace-a-scanner.md", _DOCUMENT.encode()) if ingests else None,
        share="@Footnote ingest",
        about="how do I replace a courier's scanner?",
    )
