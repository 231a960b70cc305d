"""A test stands where its header's path says: a folder of tests has the path of a folder of include/anemone, or a line
in the list of CONTRIBUTING.md with what it proves.

Prints, without a bound, how many headers have a test of their own name. Those of inner folders, which no user includes,
are not counted.
"""

import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ("<!-- tests -->\n", "<!-- end of the tests -->")
INNER = {"kernels", "catalogue", "ranges"}


def listed_in(page):
    """The folders that CONTRIBUTING.md lists."""
    return set(re.findall(r"^ {4}(\w+)/ ", page.split(LIST[0], 1)[1].split(LIST[1], 1)[0], re.MULTILINE))


def folders_with_sources(tests):
    found = {path.parent.relative_to(tests) for kind in ("cpp", "hpp", "py") for path in tests.rglob(f"*.{kind}")}
    return sorted(folder.as_posix() for folder in found if folder.parts)


def strays(root, page):
    """Folders of tests that mirror no folder of headers and are not listed."""
    listed = listed_in(page)
    return [folder for folder in folders_with_sources(root / "tests")
            if folder.split("/")[0] not in listed and not (root / "include/anemone" / folder).is_dir()]


def named_tests(root):
    """For each folder of headers, inner ones left out: how many have a test of their name, and how many there are."""
    top = root / "include/anemone"
    counts = {}
    for header in sorted(top.rglob("*.hpp")):
        folder = header.relative_to(top).parent
        if not INNER & set(folder.parts):
            tested, all_headers = counts.get(folder.as_posix(), (0, 0))
            test = root / "tests" / folder / f"{header.stem}.cpp"
            counts[folder.as_posix()] = (tested + test.exists(), all_headers + 1)
    return counts


def self_test():
    page = f"{LIST[0]}    apart/  proves something\n            in two lines/ of text\n{LIST[1]}"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path in ("include/anemone/a/x.hpp", "include/anemone/a/y.hpp", "include/anemone/a/kernels/z.hpp",
                     "tests/main.cpp", "tests/a/x.cpp", "tests/a/kernels/z.cpp", "tests/apart/deep/any.cpp",
                     "tests/a/golden/text.txt"):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("")
        assert listed_in(page) == {"apart"}, listed_in(page)
        assert strays(root, page) == [], strays(root, page)
        assert named_tests(root) == {"a": (1, 2)}, named_tests(root)
        for stray in ("tests/b/x.cpp", "tests/a/inner/x.hpp", "tests/z/x.py"):
            (root / stray).parent.mkdir()
            (root / stray).write_text("")
        assert strays(root, page) == ["a/inner", "b", "z"], strays(root, page)


def main():
    self_test()
    found = strays(ROOT, (ROOT / "CONTRIBUTING.md").read_text())
    for folder in found:
        print(f"tests/{folder}: there is no include/anemone/{folder}, and CONTRIBUTING.md does not list it")
    counts = named_tests(ROOT)
    print(*(f"{folder}: {tested} of {number} headers have a test of their name"
            for folder, (tested, number) in counts.items()), sep="\n")
    tested, number = (sum(column) for column in zip(*counts.values()))
    print(f"{tested} of {number} headers have a test of their name; {len(found)} folders stand elsewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
