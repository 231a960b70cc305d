"""The generated parts of docs/conformance.md: written with ANEMONE_UPDATE_DOCS=1, else compared with what a run found.

A part stands between the lines `<!-- name -->` and `<!-- end of name -->`.
"""

import os
import re

from harness import SOURCE

PAGE = SOURCE / "docs" / "conformance.md"
SOURCES = {"input", "weight", "constant"}
WIDTH = 120


def operations():
    """All operations of the library, in the order of its table."""
    text = (SOURCE / "include" / "anemone" / "graph" / "operations.def").read_text()
    return re.findall(r"^ANEMONE_[A-Z_]+\((\w+), ", text, re.MULTILINE)


def marks(name):
    return f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"


def part_of(page, name):
    begin, end = marks(name)
    return page.split(begin, 1)[1].split(end, 1)[0]


def replaced(page, name, text):
    begin, end = marks(name)
    before, rest = page.split(begin, 1)
    return before + begin + text + end + rest.split(end, 1)[1]


def wrapped(words):
    """Words as a paragraph of lines that fit."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines) + "\n"


def listed(items):
    words = [f"{item}," for item in items]
    return wrapped([*words[:-1], words[-1][:-1] + "."]) if words else "None.\n"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def check(parts):
    """Whether the page has these parts; puts them there if it is asked to."""
    page = PAGE.read_text()
    wanted = page
    for name, text in parts.items():
        wanted = replaced(wanted, name, text)
    if wanted == page:
        return True
    if os.environ.get("ANEMONE_UPDATE_DOCS") == "1":
        PAGE.write_text(wanted)
        print(f"{PAGE} is updated")
        return True
    stale = [name for name, text in parts.items() if part_of(page, name) != text]
    print(f"{PAGE} shows different results ({', '.join(stale)}): set ANEMONE_UPDATE_DOCS=1 to write them")
    return False


def known(covered):
    """What a case can show; sources are in every one of them."""
    return [name for name in operations() if name in covered and name not in SOURCES]


def rest(covered):
    return [name for name in operations() if name not in covered and name not in SOURCES]


def onnx_parts(version, counts, reasons, operators, covered):
    """`reasons`: reason -> (cases, operators); `covered`: operation -> cases that use it and pass."""
    total = sum(counts.values())
    head = (
        f"Package version {version}: {total} cases, **{counts['passed']} pass**, {counts['failed']} fail, "
        f"{counts['no kernel']} need a missing kernel,\n{counts['not applicable']} do not apply.\n"
    )
    ordered = sorted(reasons.items(), key=lambda r: (-r[1][0], r[0]))
    why = table(
        ["Why a case does not apply", "Cases", "Operators of these models"],
        [(reason, count, ", ".join(sorted(names))) for reason, (count, names) in ordered],
    )
    using = listed(f"`{name}` {covered[name]}" for name in known(covered))
    others = [f"`{name}`" for name in read_operators() if name not in operators]
    how_many = f"{len(known(covered))} operations, each with the number of passing cases that use it"
    return {
        "ONNX counts": head,
        "ONNX reasons": why,
        "ONNX operators": f"{len(operators)} operators occur in cases that pass:\n" + listed(sorted(operators)),
        "ONNX operators without a case": listed(others),
        "ONNX operations": f"{how_many}:\n\n{using}",
    }


def read_operators():
    """Those that the importer reads, from its own page."""
    return re.findall(r"`(\w+)`", part_of((PAGE.parent / "onnx.md").read_text(), "operators"))


def onnx_limits(passed, strict, noticed):
    """`noticed`: how far off one element is -> cases that would fail."""
    shares = "; ".join(f"off by {wrong} in {count}" for wrong, count in noticed.items())
    within = f"Of the {passed} ONNX cases that pass, {strict} are within 2 ulp without any of these."
    return {"ONNX limits": f"{within} One wrong element\nof a result would be noticed: {shares}.\n"}


def torch_parts(cases, covered):
    """Names the operations that neither referee has seen, from the page's own list of the ONNX cases."""
    by_onnx = set(re.findall(r"`(\w+)` \d+", part_of(PAGE.read_text(), "ONNX operations")))
    return {
        "PyTorch operations": f"{cases} functions generate cases, which use {len(known(covered))} operations:\n\n"
        + listed(f"`{name}`" for name in known(covered)),
        "without a case": listed(f"`{name}`" for name in rest(set(covered) | by_onnx)),
    }
