"""What alerts of the usual services say, told from their noise; and which are the same."""

from typing import Any

import pytest

from bot.alerts import fingerprint, read

PAGERDUTY: dict[str, Any] = {
    "text": "Triggered #4711: <https://shop.pagerduty.example/incidents/Q1|Refund queue is stuck>",
    "attachments": [
        {
            "color": "danger",
            "fields": [
                {"title": "Service", "value": "<https://shop.pagerduty.example/s/1|payments>"},
                {"title": "Urgency", "value": "High"},
                {"title": "Assigned", "value": "<@U0ANA>"},
            ],
        }
    ],
}
GRAFANA: dict[str, Any] = {
    "text": "",
    "attachments": [
        {
            "color": "#D63232",
            "title": "[FIRING:1] HighErrorRate payments (prod critical)",
            "title_link": "https://grafana.example/alerting/1",
            "fallback": "[FIRING:1] HighErrorRate payments (prod critical)",
            "text": "**Firing**\n\nValue: A=7.5\nLabels:\n - alertname = HighErrorRate\n"
            " - severity = critical\nAnnotations:\n - summary = Card payments fail with ERR_5032\n"
            "Source: https://grafana.example/x\nSilence: https://grafana.example/y",
            "footer": "Grafana v11",
        }
    ],
}
ALERTMANAGER: dict[str, Any] = {
    "subtype": "bot_message",
    "attachments": [
        {
            "title": "[FIRING:2] KafkaConsumerLag (search)",
            "fallback": "[FIRING:2] KafkaConsumerLag | http://alertmanager.example/#/alerts",
            "text": "*Alert:* Consumer lag above 10000\n*Description:* search-indexer"
            " falls behind &gt; 5m\n*Graph:* <http://prometheus.example/g|:chart:>",
        }
    ],
}
DATADOG: dict[str, Any] = {
    "text": "",
    "attachments": [
        {
            "title": "[P1] [Triggered on {host:db-3,team:l}] Disk is filling up on the ledger",
            "title_link": "https://app.datadog.example/monitors/1",
            "text": "%%%\nFree space under 10%. @slack-payments-oncall\n%%%\n"
            "Tags: env:prod, service:ledger",
        }
    ],
}
BLOCKS: dict[str, Any] = {
    "text": "",
    "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": ":fire: Alert: CheckoutLatency"}},
        {
            "type": "section",
            "fields": [
                {"type": "mrkdwn", "text": "*Service:*\ncheckout"},
                {"type": "mrkdwn", "text": "*Severity:*\ncritical"},
                {"type": "mrkdwn", "text": "*Summary:*\np99 of checkout above 3 s"},
            ],
        },
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "sent at 03:12"}]},
    ],
}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (PAGERDUTY, "Refund queue is stuck payments"),
        (
            GRAFANA,
            "HighErrorRate payments (prod critical)\nCard payments fail with ERR_5032",
        ),
        (
            ALERTMANAGER,
            "KafkaConsumerLag (search)\nConsumer lag above 10000\nsearch-indexer falls behind > 5m",
        ),
        (DATADOG, "Disk is filling up on the ledger\nFree space under 10%."),
        (BLOCKS, "CheckoutLatency\np99 of checkout above 3 s"),
        ({"text": "ALERT: disk full on db-3"}, "disk full on db-3"),
        (
            {"attachments": [{"fallback": "[Alerting] Ledger replication lag"}]},
            "Ledger replication lag",
        ),
    ],
    ids=["pagerduty", "grafana", "alertmanager", "datadog", "blocks", "text", "fallback"],
)
def test_an_alert_is_its_name_and_what_it_tells(message: dict[str, Any], words: str) -> None:
    """Status, links, labels and mentions are left out, wherever the alert keeps its words."""
    assert read(message) == words


@pytest.mark.parametrize(
    "title",
    [
        "[RESOLVED] HighErrorRate payments",
        "[OK] Ledger replication lag",
        "Resolved #4711: Refund queue is stuck",
        "Recovered: [P1] Disk is filling up",
        "[P1] [Recovered on {host:db-3}] Disk is filling up",
        "Acknowledged #4711: Refund queue is stuck",
        ":white_check_mark: Incident #12 has been resolved",
        "",
        ":fire:",
        "42",
    ],
)
def test_what_is_over_or_says_nothing_is_no_alert(title: str) -> None:
    """Nobody needs a runbook for a recovery."""
    assert read({"text": title}) == ""
    assert read({"attachments": [{"title": title}]}) == ""


def test_the_same_alert_has_the_same_fingerprint() -> None:
    """Its numbers, times and details may differ; its name and service may not."""
    lag = fingerprint("KafkaConsumerLag search\nlag is 10432")
    assert fingerprint("KafkaConsumerLag  search\nlag is 99") == lag
    assert fingerprint("disk full on db-3") == fingerprint("Disk full on db-14")
    assert fingerprint("KafkaConsumerLag payments\nlag is 10432") != lag


def test_odd_messages_do_no_harm() -> None:
    """Whatever stands where words should be, reading ends, and what is kept is short."""
    odd: dict[str, Any] = {"text": None, "blocks": [1, {"type": "section", "text": 7}]}
    assert read(odd | {"attachments": "x"}) == ""
    assert len(read({"text": "alert: " + "x y " * 9_000})) <= 500
