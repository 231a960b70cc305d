"""No header of the library defines or undefines a macro whose name does not begin with ANEMONE_: others are the user's."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def foreign(text):
    """The macros that a header defines or undefines and that are not the library's, with their lines."""
    directive = re.compile(r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+(?!ANEMONE_)(\w+)", re.M)
    return [(text.count("\n", 0, m.start(1)) + 1, m[1]) for m in directive.finditer(text)]


def main():
    assert foreign("#define ANEMONE_ROW(x) x\n  # define ROW\n#undef\tROW") == [(2, "ROW"), (3, "ROW")]
    headers = sorted(path for kind in ("hpp", "ipp") for path in (ROOT / "include").rglob(f"*.{kind}"))
    assert headers
    found = 0
    for header in headers:
        for line, name in foreign(header.read_text()):
            print(f"{header.relative_to(ROOT)}:{line}: the macro {name} does not begin with ANEMONE_")
            found += 1
    print(f"{len(headers)} headers, {found} macros of foreign names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
