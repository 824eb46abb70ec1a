"""Secrets: keys and tokens are found with their line, placeholders and names are let through."""

import base64
import random

import pytest

from retrieval.errors import UnreadableDocument
from retrieval.readers.reading import read
from retrieval.readers.secrets import find_secret

# Put together here, so that no scanner of this repository takes them for real ones.
RANDOM = random.Random(5032)  # noqa: S311 - not for secrets that have to be secret
LETTERS = "abcdefghjkmnpqrstuvwyzABCDEFGHJKLMNPQRSTUVWYZ2345679"


def made(prefix: str, length: int, letters: str = LETTERS) -> str:
    """A made-up token."""
    return prefix + "".join(RANDOM.choice(letters) for _ in range(length))


BLOCK = base64.b64encode(RANDOM.randbytes(240)).decode()
KEY = "-----BEGIN {}PRIVATE KEY-----"


@pytest.mark.parametrize(
    "secret",
    [
        f"{KEY.format('RSA ')}\n{BLOCK}\n",
        f"{KEY.format('')}\n{BLOCK}\n",
        f"{KEY.format('OPENSSH ')}\n  {BLOCK}\n",
        f"{KEY.format('EC ')}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n{BLOCK}",
        f"{KEY.format('')}\n{BLOCK[:24]}\n-----END PRIVATE KEY-----",
        f"{KEY.format('EC ')}\n  {BLOCK[:16]}\n  {BLOCK[16:32]}\n  -----END EC PRIVATE KEY-----",
        '{"private_key": "' + KEY.format("") + "\\n" + BLOCK + '\\n"}',
        made("AK" + "IA", 16, "ABCDEFGHIJKLMNOPQRSTUVWY234567"),
        made("xox" + "b-2345678901-", 24),
        made("xa" + "pp-1-A0B1-", 40),
        made("gh" + "p_", 36),
        made("github" + "_pat_", 60),
        made("AI" + "za", 35),
        made("gl" + "pat-", 20),
        f"password: {made('', 20)}9aZ",
        f'export API_TOKEN="{made("", 30)}9aZ"',
        f"Authorization: Bearer {made('', 40)}",
        f"curl -H 'authorization: bearer {made('', 40, '0123456789abcdef')}' https://x.example",
        '{"Authorization": "Bearer ' + made("", 36) + '9aZ="}',
        f"token=the-password={made('', 20)}9aZ",
        f"postgres://app:{made('', 20)}9aZ@db.example/shop",
    ],
)
def test_secrets_are_found_with_their_line(secret: str) -> None:
    """The refusal names the line and never repeats the secret."""
    text = f"# Title\r\n\r\nUse this:\r\n{secret}\r\nand go on.\n"
    with pytest.raises(UnreadableDocument, match=r"^notes, line 4, looks like an? ") as caught:
        read("a.md", text.encode(), source="notes")
    assert secret[-12:] not in str(caught.value)
    assert "go on" in read("a.md", text.encode(), source="notes", allow_secrets=True).text


@pytest.mark.parametrize(
    "harmless",
    [
        f"{KEY.format('RSA ')}\n...\n-----END RSA PRIVATE KEY-----",
        f"{KEY.format('')}\n<the key>",
        f"{KEY.format('')}\nYourPrivateKeyGoesHere\n-----END PRIVATE KEY-----",
        f"{KEY.format('')}\n-----END PRIVATE KEY-----\n\nKubeNodeNotReady\n",
        f"Look for `{KEY.format('')}` in it.",
        f"-----BEGIN CERTIFICATE-----\n{BLOCK}\n",
        f"-----BEGIN PUBLIC KEY-----\n{BLOCK}\n",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "xoxb-your-token-goes-here-please",
        "xoxb-xxxxxxxxxxxx-xxxxxxxxxxxxxxxx",
        "ghp_" + "x" * 36,
        "password: wrong-password",
        "The root password is in the vault, ask Stores for it.",
        "The root password is hunter2-and-then-some.",
        "Authorization: Bearer $(vault read -field=token secret/data/ledger2)",
        "Authorization: Bearer ${TOKEN_OF_THE_SERVICE_ACCOUNT_2}",
        "Authorization: Bearer <your-token-of-40-characters>",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE_2",
        "Authorization: Bearer xxxxxxxxxxxxxxxxxxxxxxxx",
        "password: <your password>",
        "password: ${DB_PASSWORD}",
        "secretKeyRef: ledger-db-credentials-v2",
        "token: /var/run/secrets/kubernetes.io/serviceaccount/token",
        "PASSWORD=$(vault read -field=password secret/data/ledger)",
        "https://user:password@db.example/x",
        "image@sha256:9b2a1d8f7c6e5d4c3b2a19087f6e5d4c3b2a19087f6e5d4c3b2a19087f6e5d4c",
        "tokenizer = AutoTokenizerForSequenceClassification2",
    ],
)
def test_what_documentation_shows_is_no_secret(harmless: str) -> None:
    """Placeholders, examples, certificates, paths and names pass."""
    assert find_secret(harmless) is None


def test_the_first_secret_is_told() -> None:
    """Lines count from one, in the file as it was given, front matter included."""
    token = made("gh" + "p_", 36)
    text = f"---\ntitle: x\n---\n\n<b>{token}</b>\n{made('gh' + 'p_', 36)}\n"
    with pytest.raises(UnreadableDocument, match="line 5, looks like a GitHub token"):
        read("a.md", text.encode(), source="s")
