"""Tables without a header: Markdown needs a header row, so a row of empty cells means that there is none."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class EmptyHeaders(SphinxTransform):
    """Remove header rows in which nothing is written; screen readers would stop at them."""

    default_priority = 500

    def apply(self, **kwargs: object) -> None:
        for head in list(self.document.findall(nodes.thead)):
            if not head.astext().strip():
                head.parent.remove(head)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(EmptyHeaders)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
