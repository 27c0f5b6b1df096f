"""Turn texts, Markdown, code and images into safe HTML, whoever wrote them.

HTML in Markdown is shown as text, and links may only lead to web pages and mail addresses. The result loads
nothing from elsewhere and has no inline style.
"""

from collections.abc import Iterator, MutableMapping, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import format
from pygments.formatters import HtmlFormatter
from pygments.lexers import find_lexer_class_by_name, get_all_lexers

from podium.vote.nouns import Kind

LINKS = ("http://", "https://", "mailto:")
LINK = {"rel": "noopener noreferrer nofollow", "target": "_blank"}
TOP_HEADING = 3  # the page has headings 1 and 2
PLAIN_ABOVE = 50_000  # characters; longer texts are not formatted, because some would take seconds
SECONDS = 1.0  # to colour code; Pygments takes minutes for some texts that are not code
LONGEST_LINE = 1000  # characters; code with longer lines, which machines write, has no colours
MOST_NESTED = 30  # lists and quotes within each other; the parser drops deeper ones
FORMATTER = HtmlFormatter(nowrap=True)
LIGHT, DARK = "xcode", "monokai"  # their colours can be read on the backgrounds of the page


def rendered(kind: Kind, text: str, language: str = "", image_url: str = "") -> Markup:
    """Render a text of any kind, or an image with the text as its description, as safe HTML.

    >>> print(rendered("text", "1 < 2"))
    <p class="text">1 &lt; 2</p>
    >>> print(rendered("markdown", "*Hi* <b>you</b>"), end="")
    <p><em>Hi</em> &lt;b&gt;you&lt;/b&gt;</p>
    """
    if kind == "image":
        alt = text or "Image without a description"
        return Markup('<img src="{}" alt="{}" loading="eager" decoding="async">').format(image_url, alt)
    is_short = len(text) <= PLAIN_ABOVE
    if kind == "code":
        return _code(text, language if is_short else "")
    return _markdown(text) if kind == "markdown" and is_short else _plain(text)


def _plain(text: str) -> Markup:
    return Markup('<p class="text">{}</p>').format(text)


def highlight_css() -> str:
    """The colours of code, for light and dark pages."""
    parts = []
    for scheme, style in (("light", LIGHT), ("dark", DARK)):
        colours = "\n".join(HtmlFormatter(style=style).get_token_style_defs(".code"))
        parts.append(f"@media (prefers-color-scheme: {scheme}) {{\n{colours}\n}}")
    return "\n".join(parts)


# ------------------------------------------------------------------------------------ code


def _code(text: str, language: str) -> Markup:
    """Code in the colours of its language; without them if that is unknown or takes too long."""
    return Markup('<pre class="code" tabindex="0"><code>{}</code></pre>\n').format(
        _highlighted(text, language)
    )


def _highlighted(text: str, language: str) -> Markup:
    lexer = _lexer(language.lower())
    if lexer is None or len(max(text.splitlines(), key=len, default="")) > LONGEST_LINE:
        return escape(text)
    tokens, until = [], perf_counter() + SECONDS
    for token in lexer(stripnl=False).get_tokens(text):
        if perf_counter() > until:
            return escape(text)
        tokens.append(token)
    return Markup(format(tokens, FORMATTER))


@lru_cache(maxsize=256)
def _lexer(language: str) -> Any:
    """Pygments' lexer for a language, None if there is none. Looking for plugins would be slow."""
    known = any(language in aliases for _, aliases, _, _ in get_all_lexers(plugins=False))
    return find_lexer_class_by_name(language) if known else None


# ------------------------------------------------------------------------------------ Markdown


def _markdown(text: str) -> Markup:
    """Markdown as HTML, or as plain text if it is nested so deeply that the parser would drop a part."""
    parser, environment = _parser(), dict[str, Any]()
    tokens = parser.parse(text, environment)
    if max((token.level for token in tokens), default=0) >= MOST_NESTED - 1:
        return _plain(text)
    return Markup(parser.renderer.render(tokens, parser.options, environment))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MOST_NESTED})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = lambda url: url.lower().startswith(LINKS)  # type: ignore[method-assign]
    parser.core.ruler.push("page", _fit_into_page)
    parser.add_render_rule("fence", _block)
    parser.add_render_rule("code_block", _block)
    parser.add_render_rule("table_open", lambda *_: '<div class="wide" tabindex="0"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def _block(
    _: RendererHTML, tokens: Sequence[Token], index: int, options: Any, environment: MutableMapping[str, Any]
) -> str:
    """A block of code; the first word after its fence names the language."""
    token = tokens[index]
    return str(_code(token.content, (token.info.split() or [""])[0]))


def _fit_into_page(state: StateCore) -> None:
    """Lower the headings, mark links as foreign, and turn images into links."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + TOP_HEADING - 1, 6)}"
        elif token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrs["class"] = str(style).removeprefix("text-align:")  # pages allow no inline style
        elif token.children:
            token.children = list(_without_images(token.children))


def _without_images(tokens: Sequence[Token]) -> Iterator[Token]:
    """The parts of a paragraph. Images become links, because nothing from outside may be loaded."""
    within_link = 0
    for token in tokens:
        within_link += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "link_open":
            token.attrs.update(LINK)
        if token.type != "image":
            yield token
            continue
        alt = "".join(child.content for child in token.children or ())
        words = Token("text", "", 0, content=alt.strip() or "image")
        if within_link:
            yield words
        else:
            yield Token("link_open", "a", 1, attrs={"href": token.attrs["src"], **LINK})
            yield words
            yield Token("link_close", "a", -1)
