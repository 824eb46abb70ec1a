"""Front matter: what a page says of itself, and what only looks like it."""

import pytest

from tests.retrieval.test_readers import read_markdown, refusal


def test_front_matter_wins_over_options_and_these_over_defaults() -> None:
    """What a document says of itself counts first, then what the caller says, then a default."""
    link = "https://wiki.example.com/redis"
    text = f"---\ntitle: Redis  is down\nservice: cache\nurl: {link}\n---\n# H\n"
    own = read_markdown(text, service="payments", doc_type="runbook", title="Given")
    assert (own.title, own.service, own.doc_type) == ("Redis is down", "cache", "runbook")
    assert own.link == link
    assert own.text == "# H\n"
    plain = read_markdown("text")
    assert (plain.service, plain.doc_type, plain.link) == ("general", "document", None)


def test_front_matter_may_be_toml() -> None:
    """Hugo's `+++`, and its table for what isn't Hugo's own; what has no key stays text."""
    text = '+++\ntitle = "Redis"\nservice = "cache"\n[params]\ntype = "runbook"\n+++\n# H\n'
    doc = read_markdown(text)
    assert (doc.title, doc.service, doc.doc_type, doc.text) == (
        "Redis",
        "cache",
        "runbook",
        "# H\n",
    )
    no_toml = "+++\nwords only\n+++\ntext"
    assert read_markdown(no_toml).text == no_toml


@pytest.mark.parametrize("key", ["doc_type", "type", "doc-type", "Type"])
def test_the_type_has_several_spellings(key: str) -> None:
    """Front matter may name the type in any of the usual ways."""
    assert read_markdown(f"---\n{key}: postmortem\n---\ntext").doc_type == "postmortem"


@pytest.mark.parametrize(
    "text",
    ["---\n[unclosed\n---\ntext", "---\nwords only\n---\ntext", "---\n\nNote: a: b\n---\ntext",
     "---\nno end\n\ntext", "----\ntitle: x\n----\n", "text\n---\ntitle: x\n---\n"],
)  # fmt: skip
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    """A rule with anything behind it or a table of dashes is never cut off a document."""
    assert read_markdown(text).text == text


def test_front_matter_of_odd_values_does_no_harm() -> None:
    """Lists, numbers and links that are none are left out or turned into words."""
    text = "---\ntitle: 42\nservice: [a, b]\ndoc_type: true\nlink: javascript:alert(1)\n---\ntext"
    doc = read_markdown(text)
    assert (doc.title, doc.service, doc.doc_type, doc.link) == ("42", "general", "document", None)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("draft: !!bool maybe", "T"),
        ('order: !!int ""', "T"),
        ('when: !!timestamp "x"', "T"),
        ("when: 2024-13-45", "T"),
        (f"number: {'1' * 5000}", "T"),
        ("service: ~\ndoc_type: null", "T"),
        ('title: "null"', "null"),
        ("title: 2024-02-03", "2024-02-03"),
        (f"title: {'1' * 5000}", "1" * 200),
    ],
    ids=lambda value: value[:24],
)
def test_values_of_front_matter_are_words(line: str, title: str) -> None:
    """Tags, dates and numbers are never made into anything that could fail or differ."""
    doc = read_markdown(f"---\n{line}\n---\ntext", title="T")
    assert (doc.title, doc.service, doc.doc_type, doc.text) == (
        title,
        "general",
        "document",
        "text",
    )


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.md", "---\nservice: x\ntitle: [broken\n---\ntext", 4),
        ("a.md", "---\ntitle: one: two\n---\ntext", 2),
        ("a.md", "---\ntitle: x\nnote: \a\n---\ntext", 3),
        ("a.md", f"---\ntitle: {'[' * 20_000}\n---\ntext", 2),
        ("a.md", "+++\nservice = 'x'\ntitle = \n+++\ntext", 3),
        ("a.md", f"+++\nweight = {'1' * 5000}\n+++\ntext", 2),
        ("a.adoc", "---\ntitle: *none\n---\ntext", 2),
    ],
)
def test_broken_front_matter_is_told(name: str, text: str, line: int) -> None:
    """Labels that get lost would be missed in a search; the sentence names the line."""
    assert f"(line {line})" in refusal(name, text.encode())


def test_a_number_beyond_words_is_no_label() -> None:
    """TOML's hexadecimal numbers may be longer than Python writes down."""
    assert read_markdown(f"+++\ntitle = 0x{'f' * 9000}\n+++\n# One").title == "One"


def test_labels_are_kept_in_small_letters() -> None:
    """Questions filter in small letters, so a service in capitals would never be found."""
    given = read_markdown("text", service=" Payments ", doc_type="RunBook")
    assert (given.service, given.doc_type) == ("payments", "runbook")
    own = read_markdown("---\nservice: Payments API\ntype: Post-Mortem\n---\ntext")
    assert (own.service, own.doc_type) == ("payments api", "post-mortem")


def test_a_page_of_front_matter_only_is_in_order() -> None:
    """The index page of a folder has a title and no text; that is no failure."""
    doc = read_markdown("---\ntitle: Etcd\n---\n")
    assert (doc.title, doc.text, doc.headings) == ("Etcd", "", ())
