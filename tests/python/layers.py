"""The layers of include/anemone: every include leads down the map of CONTRIBUTING.md, and the drawing there shows them.
No includes form a cycle, neither of headers nor, within a layer, of its folders. Each folder opens the namespaces of
everybody and one of its own.

    layers.py             judge; --update draws anew, --dot prints every arrow for Graphviz
"""

import argparse
import collections
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAP = "Where everything lives"
TABLE = ("<!-- layers -->\n", "<!-- end of the layers -->")
OWN = ("<!-- namespaces -->\n", "<!-- end of the namespaces -->")
DRAWING = ("<!-- drawn by tests/python/layers.py --update -->\n", "<!-- end of the drawing -->")

EVERYBODYS = ("ane", "ane::detail", "ane::backend")

Include = collections.namedtuple("Include", "file line target")  # paths from include/anemone
Opening = collections.namedtuple("Opening", "line namespace")  # in full, without its inline parts


def between(text, marks):
    begin = text.index(marks[0]) + len(marks[0])
    return begin, text.index(marks[1], begin)


def layers_in(page):
    """The rooms of the map from the highest to the lowest, each with its names: `graph/`, or `half.hpp, dtype.hpp`."""
    begin, end = between(page, TABLE)
    rows = re.findall(r"^ {4}([^\s,]+(?:, [^\s,]+)*)", page[begin:end], re.MULTILINE)
    return {row.rstrip("/"): row.split(", ") for row in rows}


def room_of(path, layers):
    """The room of a header: its own, or that of the innermost folder that has one. A body's is its declaration's."""
    header = re.sub(r"[.]ipp$", ".hpp", path)
    found = [(len(name), room) for room, names in layers.items() for name in names
             if header == name or (name.endswith("/") and header.startswith(name))]
    return max(found, default=(0, None))[1]


def includes_in(top):
    """Every include of one of the library's headers by another."""
    for file in sorted(path for kind in ("hpp", "ipp", "inl", "h") for path in top.rglob(f"*.{kind}")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if given := re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<(anemone/[^>]+)>)', line):
                target = pathlib.Path(os.path.normpath(file.parent / given[1] if given[1] else top.parent / given[2]))
                if target.exists():
                    yield Include(file.relative_to(top).as_posix(), number, target.relative_to(top).as_posix())


def code_in(text):
    """A source without its comments, literals and directives, line by line as it was."""
    nothing = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|' r"'(?:\\[^'\n]+|[^'\\\n])'|^[ \t]*#(?:\\\n|[^\n])*",
                         re.DOTALL | re.MULTILINE)
    return nothing.sub(lambda found: "\n" * found[0].count("\n"), text)


def openings_in(text):
    """Every namespace that a source opens. An inline one is the namespace that it is in."""
    code = code_in(text)
    around = [()]  # of each brace that is open, the namespace within it
    for found in re.finditer(r"(?P<inline>\binline\s+)?\bnamespace\b(?P<name>[\w:\s]*)\{|[{}]", code):
        if found[0] == "}":
            around.pop()
            continue
        parts = around[-1]
        if found[0] != "{" and not found["inline"]:
            parts += tuple(part.strip() for part in found["name"].split("::") if not re.match(r"\s*(inline\b|$)", part))
            yield Opening(code.count("\n", 0, found.start()) + 1, "::".join(parts))
        around.append(parts)


def own_namespaces(layers, page):
    """The namespace of each folder: `ane::` and its name, or what the page gives it instead."""
    begin, end = between(page, OWN)
    own = {name: "ane::" + name.rstrip("/").split("/")[-1]
           for names in layers.values() for name in names if name.endswith("/")}
    return own | dict(re.findall(r"^ {4}(\S+/) +(ane::\w+)", page[begin:end], re.MULTILINE))


def foreign_namespaces(top, layers, page):
    """Every opening of a namespace that is neither everybody's nor the folder's."""
    own = own_namespaces(layers, page)
    for path in sorted(path for kind in ("hpp", "ipp") for path in top.rglob(f"*.{kind}")):
        header = path.relative_to(top).as_posix()
        folder = max((name for name in own if header.startswith(name)), key=len, default=None)
        kept = (own[folder],) if folder else ()
        for opening in openings_in(path.read_text()):
            keeper = re.sub(r"::detail(::.*)?$", "", opening.namespace)  # detail may have parts
            if opening.namespace not in EVERYBODYS + kept and keeper not in ("ane", *kept):
                yield (f"include/anemone/{header}:{opening.line}: opens {opening.namespace}, "
                       f'but {folder or "this file"} has {", ".join(EVERYBODYS + kept)} ("{MAP}" of CONTRIBUTING.md)')


def arrows_between(includes, layers):
    rooms = {(room_of(i.file, layers), room_of(i.target, layers)) for i in includes}
    return {(a, b) for a, b in rooms if a != b and a is not None and b is not None}


def cycle_in(arrows):
    """The nodes of one cycle, in order, the first once more at the end; empty: there is none."""
    below = collections.defaultdict(list)
    for a, b in sorted(arrows):
        below[a].append(b)
    done = set()
    for start in list(below):
        road, left = [start], [iter(below[start])]  # the nodes that are entered, and of each what is still to be seen
        while road:
            b = next(left[-1], None)
            if b is None:
                done.add(road.pop())
                left.pop()
            elif b in road:
                return [*road[road.index(b):], b]
            elif b not in done:
                road.append(b)
                left.append(iter(below[b]))
    return []


def cycles(includes, layers):
    """A cycle of headers; a cycle of the folders of one layer, with an include for each step. A body at the end of its
    header is no step: the header's guard stands before it."""
    given = [i for i in includes if re.sub(r"[.]ipp$", ".hpp", i.target) != i.file]
    if found := cycle_in({(i.file, i.target) for i in given}):
        yield "include/anemone: headers include each other: " + " -> ".join(found)
    inside = {}
    for i in given:
        a, b = os.path.dirname(i.file), os.path.dirname(i.target)
        if a != b and room_of(i.file, layers) == room_of(i.target, layers):
            inside.setdefault((a, b), i)
    inside = {(a, b): i for (a, b), i in inside.items() if a and b}  # files of the top have rooms and no folder
    if found := cycle_in(inside):
        steps = [inside[step] for step in zip(found, found[1:])]
        yield ("include/anemone: folders of one layer include each other: " + " -> ".join(found) + " (" +
               ", ".join(f"{i.file}:{i.line} includes {i.target}" for i in steps) + ")")


def mistakes(top, page):
    layers = layers_in(page)
    order = list(layers)
    headers = sorted(path.relative_to(top).as_posix() for kind in ("hpp", "ipp", "h") for path in top.rglob(f"*.{kind}"))
    found = []
    for header in headers:
        if room_of(header, layers) is None:
            found.append(f'include/anemone/{header}: has no line in "{MAP}" of CONTRIBUTING.md')
    for name in (name for names in layers.values() for name in names):
        if not any(header == name or header.startswith(name) for header in headers):
            found.append(f'CONTRIBUTING.md: "{MAP}" has a line for {name}, which is not there')
    for include in includes_in(top):
        a, b = room_of(include.file, layers), room_of(include.target, layers)
        if a is not None and b is not None and order.index(a) > order.index(b):
            found.append(f"include/anemone/{include.file}:{include.line}: includes {include.target}, but {a} is a "
                         f'lower layer than {b}: includes lead down the map "{MAP}" of CONTRIBUTING.md')
    return [*found, *cycles(includes_in(top), layers), *foreign_namespaces(top, layers, page)]


def drawn(arrows, order):
    """The arrows as a Mermaid drawing, without those that follow from others; all lead down."""
    below = collections.defaultdict(set)
    reach = collections.defaultdict(set)
    for a, b in arrows:
        below[a].add(b)
    for room in reversed(order):
        reach[room] = below[room].union(*(reach[b] for b in below[room]))
    lines = ["```mermaid", "flowchart TD"]
    for a in order:
        for b in order:
            if b in below[a] and not any(b in reach[c] for c in below[a]):
                lines.append(f"    {box(a)} --> {box(b)}")
    return "\n".join([*lines, "```", ""])


def box(room):
    """A room for Mermaid, whose identifiers are words."""
    word = re.sub(r"\W+", "_", room)
    return room if room == word else f'{word}["{room}"]'


def with_drawing(top, page):
    layers = layers_in(page)
    begin, end = between(page, DRAWING)
    return page[:begin] + drawn(arrows_between(includes_in(top), layers), list(layers)) + page[end:]


def self_test():
    """A small house: what is right passes, and each mistake is told with its place."""
    rows = "    top.hpp\n    mid/, b.hpp  between\n    low/         the base\n                 of all\n"
    names = "    mid/in/  ane::inner  for a reason\n"
    page = f"{TABLE[0]}{rows}{TABLE[1]}\n{OWN[0]}{names}{OWN[1]}\n{DRAWING[0]}{DRAWING[1]}"
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder) / "anemone"
        for path, text in {"low/a.hpp": "", "mid/in/c.ipp": '#include "../../low/a.hpp"\n',
                           "b.hpp": '#include "mid/in/c.ipp"\n',
                           "top.hpp": "#include <anemone/low/a.hpp>\n#include <vector>\n#include \"b.hpp\"\n"}.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text)
        assert list(layers_in(page)) == ["top.hpp", "mid/, b.hpp", "low"], layers_in(page)
        assert mistakes(top, page) == [], mistakes(top, page)
        arrows = [line.strip() for line in with_drawing(top, page).splitlines() if "] --> " in line]
        assert arrows == ['top_hpp["top.hpp"] --> mid_b_hpp["mid/, b.hpp"]', 'mid_b_hpp["mid/, b.hpp"] --> low'], arrows
        (top / "low/a.hpp").write_text('#pragma once\n\n#include "../mid/in/c.ipp"\n')
        (top / "e.hpp").write_text("")
        told = mistakes(top, page.replace("the base", "the base\n    gone/  was here"))
        assert len(told) == 4 and told[0].startswith("include/anemone/e.hpp: has no line"), told
        assert "gone/, which is not there" in told[1], told
        assert told[2].startswith("include/anemone/low/a.hpp:3: includes mid/in/c.ipp, but low is a lower layer"), told
        (top / "e.hpp").unlink()
        (top / "low/a.hpp").write_text("namespace ane {\n// } namespace no {\n"
                                       "namespace detail::part { char c = '}'; }\n"
                                       "inline namespace literals {}\nnamespace low { namespace detail {} }\n"
                                       "namespace b = std;\n}\nnamespace ane::mid::inline WAY {}\n")
        (top / "mid/in/c.ipp").write_text("namespace ane::inner::detail {\n}\nnamespace ane::mid {}\n")
        (top / "mid/d.hpp").write_text("namespace ane {\nnamespace backend {}\nnamespace\n  details {} }\n")
        places = [sentence.split(", but ")[0].removeprefix("include/anemone/") for sentence in mistakes(top, page)]
        assert places == ["low/a.hpp:8: opens ane::mid", "mid/d.hpp:3: opens ane::details",
                          "mid/in/c.ipp:3: opens ane::mid"], places
        (top / "low/a.hpp").write_text("")
        for path, text in {"mid/d.hpp": '#include "in/e.hpp"\n#include "d.ipp"\n', "mid/d.ipp": '#include "d.hpp"\n',
                           "mid/in/c.ipp": '#include "../f.hpp"\n', "mid/in/e.hpp": "", "mid/f.hpp": ""}.items():
            (top / path).write_text(text)
        told = mistakes(top, page)
        assert len(told) == 1 and "folders of one layer include each other: mid -> mid/in -> mid (mid/d.hpp:1 " \
            "includes mid/in/e.hpp, mid/in/c.ipp:1 includes mid/f.hpp)" in told[0], told
        (top / "mid/in/c.ipp").write_text("")
        assert mistakes(top, page) == [], mistakes(top, page)
        (top / "mid/f.hpp").write_text('#include "g.hpp"\n')
        (top / "mid/g.hpp").write_text('#include "f.hpp"\n')
        told = mistakes(top, page)
        assert told == ["include/anemone: headers include each other: mid/f.hpp -> mid/g.hpp -> mid/f.hpp"], told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true", help="draw the arrows in CONTRIBUTING.md anew")
    parser.add_argument("--dot", action="store_true", help="print every arrow as a graph for Graphviz")
    options = parser.parse_args()
    self_test()
    top = ROOT / "include/anemone"
    file = ROOT / "CONTRIBUTING.md"
    page = file.read_text()
    arrows = sorted(arrows_between(includes_in(top), layers_in(page)))
    if options.dot:
        print("digraph anemone {", *(f'    "{a}" -> "{b}";' for a, b in arrows), "}", sep="\n")
        return 0
    found = mistakes(top, page)
    if not found and with_drawing(top, page) != page:
        if options.update:
            file.write_text(with_drawing(top, page))
        else:
            found.append("CONTRIBUTING.md: the drawing of the layers is not that of the includes: run "
                         "tests/python/layers.py --update")
    print(*found, f"{len(layers_in(page))} layers, {len(arrows)} arrows, {len(found)} mistakes", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
