"""Keyword tokens: identifiers whole and in parts, the same for a document and a question."""

import time
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.tokens import MAX_TOKEN, index_tokens, query_tokens, word_tokens
from retrieval.words import Words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/var/lib/etcd", {"var/lib/etcd", "var", "lib", "etcd"}),
        ("/var/log/nginx/error.log", {"var/log/nginx/error.log", "nginx", "error.log", "error"}),
        ("kube-apiserver", {"kube-apiserver", "apiserv"}),
        ("node_exporter:9100", {"node_exporter:9100", "node_exporter", "export", "9100"}),
        ("v1.28.3", {"v1.28.3", "1.28.3", "28"}),
        ("10.0.12.7:8080", {"10.0.12.7:8080", "10.0.12.7", "8080"}),
        ("ERR_5032", {"err_5032", "err", "5032"}),
        ("ERR5032", {"err5032", "err", "5032"}),
        ("OOMKilled", {"oomkil", "oom", "kill"}),
        ("HTTPServer2", {"httpserver2", "http", "server"}),
        ("C:\\Windows\\System32", {"c:\\windows\\system32", "system32", "system"}),
        ("障害対応", {"障害", "害対", "対応"}),
        ("etcd障害", {"etcd", "障害"}),
        ("STRASSE Fuß \uff23\uff30\uff35", {"strass", "fuss", "cpu"}),
    ],
)
def test_identifiers_give_themselves_and_their_parts(text: str, expected: set[str]) -> None:
    """What people paste is found whole and by its parts."""
    assert expected <= set(index_tokens(text))


@pytest.mark.parametrize("text", ["0x80070005", "p99", "550e8400-e29b-41d4-a716-446655440000"])
def test_codes_are_not_taken_apart(text: str) -> None:
    """Hexadecimal codes, hashes and percentiles are one token each: their pieces are noise."""
    assert index_tokens(text) == [text]


def test_camel_case_alert_name() -> None:
    """An alert's name meets both its own spelling in small letters and plain words."""
    tokens = index_tokens("KubePersistentVolumeFillingUp")
    assert set(index_tokens("kubepersistentvolumefillingup")) <= set(tokens)
    assert Words.of("persistent volume filling up").share(tokens) == 1.0


@pytest.mark.parametrize(
    "words",
    ["resize resizing resizes resized", "stop stopped stopping stops", "policy policies",
     "fill filling filled", "deploy deploys deployed deployment",
     "queue queues queued queueing", "node nodes", "cache caches cached"],
)  # fmt: skip
def test_forms_of_a_word_are_one_token(words: str) -> None:
    """Plural, -ing and -ed don't hide a word from a question."""
    assert len(set(index_tokens(words))) == 1


@pytest.mark.parametrize("word", ["string", "status", "class", "speed", "dns", "bus"])
def test_words_that_only_look_like_forms_stay(word: str) -> None:
    """Stemming leaves alone what is no plural and no -ing or -ed form."""
    assert index_tokens(word) == [word]


def test_repeats_and_order_are_kept_in_documents() -> None:
    """Term frequencies are counted by the engine, so a document's tokens keep their repeats."""
    assert index_tokens("Disk full. Disk!") == ["disk", "full", "disk"]


def test_stop_words_and_markup_are_left_out() -> None:
    """Words without meaning and Markdown's marks are no tokens; an escaped underscore is one."""
    assert index_tokens("**What** is the `--force` of my ___ ?") == ["forc"]
    assert index_tokens("node\\_exporter") == index_tokens("node_exporter")
    assert query_tokens("what is it?") == []


def test_a_pasted_log_leaves_the_question_its_place() -> None:
    """Of a long query the identifiers and the words of the question are kept, not the noise."""
    lines = "\n".join(
        f"2024-05-01T12:{n % 60:02}:07Z 10.0.{n % 250}.9 req={n * 7919:012x} pod-{n}"
        for n in range(900)
    )
    tokens = query_tokens(f"checkout keeps failing with ERR_5032 in KubePodCrashLooping\n{lines}")
    assert len(tokens) == 32
    assert set(query_tokens("checkout failing ERR_5032 KubePodCrashLooping")) <= set(tokens)


def test_identifiers_come_first_and_words_fill_the_rest() -> None:
    """The cut keeps the most telling tokens, and a smaller limit keeps a beginning of them."""
    tokens = query_tokens("error 7 on node_exporter:9100 disk")
    assert tokens[:2] == ["node_exporter:9100", "node_exporter"]
    assert tokens[-1] == "7"
    assert query_tokens("alpha beta gamma", limit=2) == ["alpha", "gamma"]


def test_a_hundred_thousand_characters_take_no_time() -> None:
    """Cutting a huge query is quick; its tokens are cut to size."""
    before = time.perf_counter()
    assert query_tokens("x" * 100_000) == ["x" * MAX_TOKEN]
    assert len(query_tokens("a-" * 50_000 + "日" * 50_000)) <= 32
    assert query_tokens("1" * 100_000 + "g") == ["1" * MAX_TOKEN]
    assert time.perf_counter() - before < 2


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_gives_safe_tokens(text: str) -> None:
    """Whatever comes in: no whitespace, no NUL, no surrogate, small, normal, never empty."""
    for token in index_tokens(text):
        assert 0 < len(token) <= MAX_TOKEN
        assert token.split() == [token]
        assert "\0" not in token
        assert token.encode("utf-8")
        assert token == unicodedata.normalize("NFKC", token)
        assert token == token.casefold()


@given(st.text(), st.integers(1, 40))
def test_query_tokens_are_some_of_the_document_tokens(text: str, limit: int) -> None:
    """A question's tokens are those of the same text as a document, each once, within the limit."""
    tokens = query_tokens(text, limit)
    assert len(tokens) == len(set(tokens)) == min(limit, len(set(index_tokens(text))))
    assert set(tokens) <= set(index_tokens(text))


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_plain_text_gives_the_same_tokens_beside_other_scripts(text: str) -> None:
    """The quick way that ASCII takes finds what the general one finds; compounds come last."""
    assert word_tokens(f"{text} 日") == [*word_tokens(text), "日"]
    assert Counter(index_tokens(f"{text} 日")) == Counter([*index_tokens(text), "日"])


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_what_parts_headings_parts_words(text: str) -> None:
    """The mark between the headings of a breadcrumb joins nothing, and is no token."""
    assert word_tokens(f"{text}\u203a{text}") == 2 * word_tokens(text)
