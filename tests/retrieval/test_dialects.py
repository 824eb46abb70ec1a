"""Markdown's dialects: what a reader sees stays, machinery goes, code is never touched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.readers.dialects import to_plain_markdown


def plain(text: str) -> str:
    """The text without its empty lines, of which there may be more than before."""
    return re.sub(r"\n{2,}", "\n", to_plain_markdown(text)).strip()


def test_admonitions_are_no_code() -> None:
    """MkDocs' boxes of both kinds, one in another: titles are lines, the content is prose."""
    text = """\
!!! warning "Stop **first**"
    Drain the queue.

    ```bash
    # as it stands
      !!! not a box
    ```

    ??? info
        Deep.

        More.
After.
"""
    assert plain(text) == (
        "**Stop first:**\nDrain the queue.\n```bash\n# as it stands\n  !!! not a box\n```\n"
        "**Info:**\nDeep.\nMore.\nAfter."
    )


def test_an_outcry_is_no_box() -> None:
    """A line of prose that begins with exclamation marks keeps all its words."""
    assert to_plain_markdown("!!! do not restart it\n") == "!!! do not restart it\n"
    assert plain("!!! note inline end\n\n    x") == "**Note:**\nx"


def test_tabs_are_sections_of_prose() -> None:
    """The title of a tab is a line of its own."""
    assert plain('=== "Linux"\n\n    apt\n\n=== "macOS"\n\n    brew\n') == (
        "**Linux:**\napt\n**macOS:**\nbrew"
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('[go]({{< ref "./Other.md" >}})', "[go](./Other.md)"),
        ('[go]({{% relref "a/b" %}})', "[go](a/b)"),
        ("{{< hint warning >}}\nCareful.\n{{< /hint >}}", "**Warning:**\nCareful."),
        ('{{< figure src="a.png" caption="The queue" >}}', "The queue"),
        ('{{< tab "Linux" >}}x{{< /tab >}}', "Linuxx"),
        ("a {{< unknown a=1 >}} b", "a  b"),
        ("{{< highlight sh >}}\nls {{ x }} <b>\n{{< /highlight >}}", "```sh\nls {{ x }} <b>\n```"),
        ("{{ .Values.name }}", "{{ .Values.name }}"),
        ("`{{< ref x >}}`", "`{{< ref x >}}`"),
    ],
)  # fmt: skip
def test_shortcodes_leave_their_words(text: str, seen: str) -> None:
    """Hugo's shortcodes go, what they say stays; templates and code stay as they are."""
    assert plain(text) == seen


def test_callouts_have_a_title() -> None:
    """GitHub's callouts say in words what they are."""
    assert to_plain_markdown("> [!NOTE]\n> Wait.") == "> **Note:**\n> Wait."
    assert to_plain_markdown("> [!warning]- Do not\n> x") == "> **Do not:**\n> x"


def test_a_table_of_html_becomes_one_of_markdown() -> None:
    """Also with empty lines in it, lists in its cells, and placeholders that look like tags."""
    text = """\
Before.
<table class="x">
  <tr><th>Level</th><th>What</th></tr>

    <tr><td>SEV-1</td><td><p>Down for <customer>.</p><ul><li>one</li><li>a|b</li></ul></td></tr>
</table>
After.
"""
    assert plain(text) == (
        "Before.\n| Level | What |\n| --- | --- |\n"
        "| SEV-1 | Down for <customer>. - one - a\\|b |\nAfter."
    )


def test_code_in_a_table_keeps_its_pipes() -> None:
    """No backslash gets into a command, so such a table is a list of rows."""
    text = "<table><tr><th>a</th></tr><tr><td>x</td><td><code>ps | grep x</code></td></tr></table>"
    assert plain(text) == "- a\n- x | `ps | grep x`"


def test_placeholders_are_no_tags() -> None:
    """What isn't HTML, or has neither attribute nor partner, is a word."""
    text = "Set <namespace> and <label> of <table>, <b>now</b>.<br/>Then\n\n<pvc-name>\n"
    assert plain(text) == "Set <namespace> and <label> of <table>, now. Then\n<pvc-name>"


def test_html_of_a_page_is_flattened() -> None:
    """Details, comments, links, pictures and keys; an open comment hides nothing."""
    text = """\
<!-- hidden
twice -->
<details>
<summary>More</summary>

inside **bold**

</details>

See <a href="https://e.com/q">the page</a>, <img src="x" alt="a logo"> and <kbd>Ctrl &lt;</kbd>.
Open <!-- never closed.
"""
    assert plain(text) == (
        "More\ninside **bold**\nSee [the page](https://e.com/q), a logo and `Ctrl <`.\n"
        "Open <!-- never closed."
    )


CODE = """\
```html
<b>x</b> <!-- y --> {{< ref "z" >}}
!!! note
    > [!NOTE]
```

~~~~
<table><tr><td>1</td></tr></table>
~~~
~~~~

    <i>indented</i>

`<b>` and ``a ` <i>b</i>`` and `over
<b>lines</b>`
"""


def test_code_is_never_touched() -> None:
    """Fences of both kinds and any length, indented code and spans stay byte for byte."""
    assert to_plain_markdown(CODE) == CODE
    assert to_plain_markdown(f"- a\n\n  ```\n  <b>\n  ```\n\n{CODE}").endswith(CODE)


@given(
    st.lists(
        st.sampled_from(
            [
                "<b>",
                "</b>",
                "<!--",
                "-->",
                "`",
                "``",
                "```\n",
                "~~~",
                "\n",
                "\n\n",
                "    ",
                "<table>",
                "</table>",
                "<tr><td>",
                "{{<",
                ">}}",
                '"',
                "!!! x",
                "> [!NOTE]",
                "<x>",
                "- ",
            ]
        ),
        max_size=60,
    )
)
def test_any_mixture_keeps_its_words(pieces: list[str]) -> None:
    """Whatever the markup, what are plain words are found again, in their order."""
    text = "".join(f"{piece} w{number} " for number, piece in enumerate(pieces))
    if "{{<" in text or "<!--" in text:  # what these hold may go
        to_plain_markdown(text)
        return
    wanted = [f"w{number}" for number in range(len(pieces))]
    assert re.findall(r"\bw\d+\b", to_plain_markdown(text)) == wanted


@pytest.mark.parametrize(
    "text", ["<table> w0 <tr><td> w1", "<table><tr> w0 <td>w1</td> w2 <td>w3</td></tr> w4 </table>"]
)
def test_words_between_cells_are_kept(text: str) -> None:
    """HTML allows none there, but they are the author's."""
    found = re.findall(r"\bw\d\b", to_plain_markdown(text))
    assert found == sorted(found)
    assert len(found) == text.count("w")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    ["<!--", "`a``b", "{{< highlight x >}}\n", '{{< a "', "<table>", "<b ", "!!! a ", "<a href='"],
)
def test_hostile_markup_takes_no_time(text: str) -> None:
    """Repeated openings are read in about linear time; in quadratic time the test times out."""
    assert to_plain_markdown("x <b> {{ \n\n" + text * (200_000 // len(text)))
