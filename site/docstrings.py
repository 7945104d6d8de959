"""Sphinx: docstrings of the package, which are written as Markdown is, as reStructuredText, which autodoc reads."""


def rewritten(lines):
    """Indented lines after a blank one are code, and a list needs no blank line before it."""
    found = []
    in_list = in_code = False
    for line in lines:
        after_blank = not found or not found[-1]
        bullet = line.startswith("- ")
        if line and not line.startswith(" "):
            if bullet and not in_list and not after_blank:
                found.append("")
            in_list = bullet
            in_code = False
        elif line and not in_list and not in_code and after_blank:
            found += ["::", ""]
            in_code = True
        found.append(line)
    return found


def process(app, what, name, obj, options, lines):
    lines[:] = rewritten(lines)


def setup(app):
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
