"""The configuration of the site; `make docs` builds it with Sphinx.

Warnings are errors, so a dead link, a missing picture or file, a page in no table of contents and a name that
does not exist all stop the build. tests/test_site.py shows that they do.
"""

import sys
from pathlib import Path

SITE = Path(__file__).parent
ROOT = SITE.parents[1]
sys.path[:0] = [str(SITE), str(ROOT / "src")]

import reference  # noqa: E402  (it is next to this file)
from numpydoc.xref import DEFAULT_LINKS  # noqa: E402

from podium import __version__  # noqa: E402

project = "podium"
author = "The podium developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "reference",
    "pictures",
    "tables",
    "checked_pages",
]
exclude_patterns = [".site", "**.txt"]
smartquotes = False  # quotes are often those of Python
nitpicky = True  # every cross-reference must lead somewhere

# Pages are Markdown. Headings have anchors, which links to them need.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # the sections of papers.md begin one level deeper than its parts

# The reference is made from docstrings. `name` in a docstring links to what it names.
default_role = "py:obj"
templates_path = [str(SITE / "templates")]  # autosummary looks in the folder of the pages otherwise
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # the template lists them
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # only the words below become links
numpydoc_xref_aliases = reference.public_names()
DEFAULT_LINKS.clear()  # they lead to other sites
# Names that begin with a small letter may also be parameters, columns or names of other libraries.
nitpick_ignore_regex = [("py:obj", r"(?!podium\.)[a-z].*")]

html_theme = "pydata_sphinx_theme"
html_title = "podium"
html_static_path = ["static"]
html_css_files = ["podium.css"]
html_logo = html_favicon = "static/podium.svg"
html_show_search_summary = False  # it would need a server
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "gallery/index": []}  # pages that are alone in their section
html_theme_options = {
    "logo": {"text": "podium", "alt_text": ""},
    "header_links_before_dropdown": 7,
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_exclude = ".linenos, .gp, .go"  # copy the code, without prompts and output
