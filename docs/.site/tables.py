"""Headers of tables: Markdown needs a header row, but its cells may be empty."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

EMPTY_CELL = re.compile(r'<th class="head([^"]*)"><p></p></th>')


class EmptyHeaders(SphinxTransform):
    """Remove header rows in which nothing is written; screen readers would stop at them."""

    default_priority = 500

    def apply(self, **kwargs: object) -> None:
        for head in list(self.document.findall(nodes.thead)):
            if not head.astext().strip():
                head.parent.remove(head)


def empty_cells(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """An empty cell in a header, such as the corner of a table, is not the header of anything."""
    context["body"] = EMPTY_CELL.sub(r'<td class="head\1"></td>', context.get("body") or "")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(EmptyHeaders)
    app.connect("html-page-context", empty_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
