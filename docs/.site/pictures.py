"""Pictures with a dark variant: if `X-dark.png` exists next to `X.png`, dark pages show it instead."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class DarkPictures(SphinxTransform):
    """Put the dark picture after the light one; the theme hides the one that does not fit."""

    default_priority = 500

    def apply(self, **kwargs: object) -> None:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for light in list(self.document.findall(nodes.image)):
            picture = Path(light["uri"])
            dark_name = picture.with_stem(f"{picture.stem}-dark").as_posix()
            if "://" in light["uri"] or not (folder / dark_name).exists():
                continue
            dark = light.deepcopy()
            dark["uri"] = dark_name
            light["classes"].append("only-light")
            dark["classes"].append("only-dark")
            light.parent.insert(light.parent.index(light) + 1, dark)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(DarkPictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
