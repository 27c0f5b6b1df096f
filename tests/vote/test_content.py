"""Whatever is shown is HTML of a few harmless tags."""

import re
from html.parser import HTMLParser
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.vote.content import PLAIN_ABOVE, highlight_css, rendered
from podium.vote.nouns import Kind

TAGS = set("a blockquote br code div em h3 h4 h5 h6 hr img li ol p pre s span strong".split())
TAGS |= set("table tbody td th thead tr ul".split())
ATTRIBUTES = {
    "a": {"href", "rel", "target", "title"},
    "img": {"src", "alt", "loading", "decoding"},
    "ol": {"start"},
    "div": {"class", "tabindex"},
    "pre": {"class", "tabindex"},
    **{tag: {"class"} for tag in ("p", "span", "td", "th")},
}
KINDS: tuple[Kind, ...] = ("text", "markdown", "code", "image")


class Tags(HTMLParser):
    """The tags of a page, as a browser sees them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        self.found.append(("!", {}))

    def handle_decl(self, decl: str) -> None:
        self.found.append(("!", {}))


def check_harmless(html: str, kind: Kind) -> None:
    for tag, attributes in Tags(html).found:
        assert tag in TAGS - ({"img"} if kind != "image" else set()), html
        assert set(attributes) <= ATTRIBUTES.get(tag, set()), html
        if tag == "a":
            assert str(attributes["href"]).lower().startswith(("http://", "https://", "mailto:")), html
            assert attributes["rel"] == "noopener noreferrer nofollow"
            assert attributes["target"] == "_blank"


ATTACKS = {
    "script": "<script>alert(1)</script>",
    "event": '<img src=x onerror="alert(1)">',
    "svg": "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "frame": '<iframe src="https://evil.example"></iframe>',
    "style": "<style>@import 'https://evil.example'</style>",
    "comment": "<!--><script>alert(1)</script>-->",
    "declaration": "<![CDATA[<script>alert(1)</script>]]><?php ?><!DOCTYPE html>",
    "javascript": "[x](javascript:alert(1))",
    "javascript in capitals": "[x](JaVaScRiPt:alert(1))",
    "javascript by entity": "[x](&#106;avascript&colon;alert(1))",
    "javascript by hexadecimal entity": "[x](&#x6A;avascript:alert(1))",
    "javascript with a tab": "[x](java\tscript:alert(1)) [x](<java\nscript:alert(1)>)",
    "javascript after a control character": "[x](\x01javascript:alert(1)) [x](&#1;javascript:alert(1))",
    "javascript in angles": "<javascript:alert(1)>",
    "javascript by reference": "[x]\n\n[x]: javascript:alert(1)",
    "javascript in an image": "![x](javascript:alert(1))",
    "vbscript": "[x](vbscript:msgbox(1))",
    "data": "[x](data:text/html;base64,PHNjcmlwdD4=) ![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "file": "[x](file:///etc/passwd)",
    "our own pages": "[x](/owner/secret) [x](../undo) [x](//evil.example) [x](#top)",
    "breaking out of href": '[x](https://a.example/"onmouseover="alert(1))',
    "breaking out of title": "[x](https://a.example '\"><script>alert(1)</script>')",
    "breaking out of alt": '![" onerror="alert(1)](https://a.example)',
    "breaking out of a fence": "```</code></pre><script>\n</code></pre><script>alert(1)</script>\n```",
    "breaking out of a language": '``` "><script>alert(1)</script>\nx\n```',
    "table": "|a|\n|:-:|\n|<b onclick=alert(1)>|",
    "backslash": "\\<script>alert(1)\\</script>",
    "image that is a link": "[![a](https://a.example/1.png)](https://a.example)",
    "markup in an image": "![<b>*a*</b>](https://a.example/1.png)",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("kind", KINDS)
def test_attacks_are_shown_as_text(attack: str, kind: Kind) -> None:
    check_harmless(rendered(kind, attack, "html", "/image/1"), kind)
    check_harmless(rendered(kind, attack, attack, attack), kind)


@given(
    st.lists(
        st.sampled_from(
            [*ATTACKS.values(), *"<>\"'&*_`~[]()!|#-:\n\t \\", "http://", "<a@b.c>", "&#60;", "```"]
        )
        | st.text(max_size=5),
        max_size=12,
    ).map("".join),
    st.sampled_from(KINDS),
    st.sampled_from(["", "python", "html", "unheard-of"]),
)
def test_no_text_becomes_markup(text: str, kind: Kind, language: str) -> None:
    check_harmless(rendered(kind, text, language, text), kind)


@pytest.mark.parametrize(
    "pattern", ["[", "![", "> ", "- ", "*a **a ", "[a](", "`a ``a ", "<a ", "a|\n-|\n", "&", "~~"]
)
def test_nested_markdown_is_quick(pattern: str) -> None:
    start = perf_counter()
    rendered("markdown", pattern * (5_000 // len(pattern)))
    rendered("markdown", pattern * (2 * PLAIN_ABOVE))
    assert perf_counter() - start < 2


def test_odd_code_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.vote.content.SECONDS", 0.05)
    start = perf_counter()
    assert "<span" not in rendered("code", "&" * PLAIN_ABOVE, "html")  # Pygments alone takes a minute
    assert "<span" not in rendered("code", ("&" * 900 + "\n") * 50, "html")
    rendered("markdown", "```unheard-of\n```\n" * 1000)
    assert perf_counter() - start < 2


def test_no_image_is_loaded_from_elsewhere() -> None:
    html = rendered("markdown", "![a *cat*](https://a.example/cat.png) ![](https://a.example/dog.png)")
    assert [tag for tag, _ in Tags(html).found] == ["p", "a", "a"]
    assert ">a cat</a>" in html
    assert ">image</a>" in html


def test_an_image_within_a_link_is_words() -> None:
    html = rendered("markdown", "[![cat](https://a.example/cat.png)](https://b.example)")
    assert [(tag, attributes.get("href")) for tag, attributes in Tags(html).found] == [
        ("p", None),
        ("a", "https://b.example"),
    ]
    assert ">cat</a>" in html


def test_images_have_a_description() -> None:
    assert rendered("image", 'a "cat"', "", "/image/1") == (
        '<img src="/image/1" alt="a &#34;cat&#34;" loading="eager" decoding="async">'
    )
    assert 'alt="Image without a description"' in rendered("image", "", "", "/image/1")
    assert rendered("image", "a" * (PLAIN_ABOVE + 1), "", "/image/1").startswith("<img ")


def test_headings_stay_below_those_of_the_page() -> None:
    html = rendered("markdown", "# a\n\n## b\n\n###### c\n\nd\n=")
    assert re.findall(r"<(h\d)>(\w)</\1>", html) == [("h3", "a"), ("h4", "b"), ("h6", "c"), ("h3", "d")]


def test_tables_and_strikethrough_are_rendered_without_inline_style() -> None:
    html = rendered("markdown", "~~a~~\n\n|a|b|\n|-|-:|\n|1|2|\n")
    assert "<s>a</s>" in html
    assert '<div class="wide" tabindex="0"><table>' in html
    assert '<td class="right">2</td>' in html
    assert "style=" not in html


def test_code_has_classes_for_its_colours() -> None:
    for html in (
        rendered("code", "def f(): pass", "python"),
        rendered("markdown", "```python x\ndef f(): pass\n```"),
    ):
        assert html.startswith('<pre class="code" tabindex="0"><code><span class="k">def</span>')
        assert "style=" not in html
    assert rendered("code", "\na < b") == '<pre class="code" tabindex="0"><code>\na &lt; b</code></pre>\n'


def test_deep_lists_keep_their_text() -> None:
    for depth in range(1, 40):
        assert "deepest" in rendered("markdown", "- " * depth + "deepest")
        assert "deepest" in rendered("markdown", "> " * depth + "- deepest")
    assert "<ul>" in rendered("markdown", "- " * 12 + "deepest")


# ------------------------------------------------------------------------------------ colours


def luminance(colour: str) -> float:
    """The relative luminance of a colour such as ``f5f7f9``, as WCAG defines it."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("scheme", "backgrounds"), [("light", ("ffffff", "f5f7f9")), ("dark", ("16191d", "1e242b"))]
)
def test_code_can_be_read_on_the_page(scheme: str, backgrounds: tuple[str, str]) -> None:
    css = re.search(rf"scheme: {scheme}\) \{{\n(.*?)\n\}}", highlight_css(), re.DOTALL)
    assert css is not None
    rules = re.findall(r"\.code \.\w+ \{ (.*?) \}", css[1])
    assert len(rules) > 50
    for rule in rules:
        rule = re.sub(r"#(\w)(\w)(\w)(?!\w)", r"#\1\1\2\2\3\3", rule)
        own = re.search(r"background-color: #(\w{6})", rule)
        colour = re.search(r"(?<![-\w])color: #(\w{6})", rule)
        assert colour or "color: #" not in rule
        for background in [own[1]] if own else backgrounds:
            assert colour is None or contrast(colour[1], background) >= 4.5, rule


def test_the_colours_do_not_change_the_page() -> None:
    assert re.findall(r"^[^.@}\s]|^\.(?!code \.)", highlight_css(), re.MULTILINE) == []
