"""Three passages that the outputs of the corpus cite."""

from retrieval.documents import Passage

__all__ = ["KASSA", "PODS", "STAGING"]


def _passage(number: int, text: str) -> Passage:
    return Passage(
        chunk_id=f"c{number}",
        document_id=f"d{number}",
        source="payments/card-errors.md",
        title="Card payments are failing",
        heading="Mitigation",
        context="",
        page=None,
        service="payments",
        doc_type="runbook",
        link=None,
        text=text,
    )


PODS = _passage(
    1,
    """Restart the pods after a key rotation and wait 10 minutes, for at most 1200 pods. The API
listens on port 8443.

```bash
kubectl -n payments rollout restart deployment/payments-api
kubectl -n payments delete pod payments-api-0   # the stuck one
```
""",
)
KASSA = _passage(
    2, "Tell support before you switch: `redis-cli -h redis-0 SET provider 'kassa'`, not after."
)
STAGING = _passage(3, "Staging is reset every night at 02:00 UTC.")
