"""Settings of Sphinx for the site. build.py stages the sources and runs it; every warning is an error."""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ["FREEGAP_ROOT"])
sys.path[:0] = [str(ROOT / "site"), str(ROOT / "python")]

project = "freegap"
release = re.search(r"^project\(freegap\s+VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE).group(1)
extensions = ["myst_parser", "sphinx_design", "sphinx.ext.autodoc", "docstrings", "mathml"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_dmath_double_inline = False
myst_heading_anchors = 6
myst_fence_as_directive = ["math"]
suppress_warnings = ["misc.highlighting_failure"]  # some files and outputs are not in the language that colours them best
exclude_patterns = []
default_role = "code"
nitpicky = False

# The Python reference: the module in C++ need not be built for it.
autodoc_mock_imports = ["freegap._core"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
add_module_names = False

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"freegap {release}"
html_static_path = [str(ROOT / "site/static"), "/usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf"]  # of the Debian package fonts-stix
html_css_files = ["site.css"]
html_js_files = ["site.js"]
templates_path = [str(ROOT / "site/templates")]
html_sidebars = {"**": ["sidebar/brand.html", "sidebar/search.html", "lab.html", "sidebar/scroll-start.html", "sidebar/navigation.html",
                        "sidebar/scroll-end.html"]}
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"light_css_variables": {"color-brand-primary": "#1a5fb4", "color-brand-content": "#1a5fb4"},
                      "dark_css_variables": {"color-brand-primary": "#7ab7ff", "color-brand-content": "#7ab7ff"}}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
