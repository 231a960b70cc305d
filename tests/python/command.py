"""The command `anemone`: the sessions of docs/command.md are what it prints, and bad input is an error.

Usage: command.py [PROGRAM] [--update]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given."""

import pathlib
import re
import sys
import tempfile

from _arrays import npy, npz
from _harness import ROOT, command, expect, run, verdict

PAGE = ROOT / "docs" / "command.md"
MARK = "<!-- sessions -->\n"

SESSIONS = [
    "anemone check classifier.mil --targets h13,h16 --quiet",
    "anemone check classifier.mil --targets h13 --waive R103",
    "anemone check classifier.mil --targets h13 --waive R103,R104 --ranges image=-20000,20000",
    "anemone check --explain R030",
    "anemone run classifier.mil --seed 1 --output probabilities.npz",
    "anemone run classifier.mil --seed 1 --backend oracle:h13 --compare probabilities.npz --atol 0.01",
    "anemone diff classifier.mil --target h16",
    "anemone diff classifier.mil --target h16 --reference f64",
    "anemone cost classifier.mil --targets h13,h17s",
    "anemone placement classifier.mil --target h13 --batches 4",
    "anemone timeline classifier.mil --target h13 --calls 4",
    "anemone optimize classifier.mil --target h13 --prove",
    "anemone convert classifier.mil --to netplist --output classifier.netplist",
    "anemone convert classifier.mil --to mlpackage --output classifier.mlpackage",
    "anemone run classifier.mlpackage --seed 1",
    "anemone diff classifier.mil classifier.mlpackage",
    "anemone convert classifier.mil --to cpp --output classifier.hpp --targets macs",
    "anemone draw classifier.mil --output classifier.svg",
    "anemone bench classifier.mil --backend cpu,oracle:h13 --seconds 0.2",
    "anemone targets macs",
    "anemone rules R030 --json",
    "anemone completions zsh --output _anemone",
    "anemone manual --output anemone.1",
    "anemone check missing.mil",
]


def sessions(program, folder):
    text = ""
    for line in SESSIONS:
        done = run(program, line.split()[1:], folder)
        text += f"    $ {line}\n"
        for row in (done.stdout + done.stderr).splitlines():
            text += f"    {row}".rstrip() + "\n"
        text += f"    $ echo $?\n    {done.returncode}\n" if done.returncode else ""
        text += "\n"
    return text.rstrip() + "\n"


def timeless(text):
    """The page without what differs from run to run: the times of `bench`."""
    return re.sub(r"(\$ anemone bench [^\n]*\n).*?(?=\n    \$ |\n[^ \n])", r"\1    times", text, flags=re.DOTALL)


def bad_input(program, folder):
    """Each is exit code 2 and one sentence that names the file and says what is wrong."""
    import struct

    good = struct.pack("<16f", *range(16))
    files = {
        "short.npy": (npy("<f4", "(1, 1, 4, 4)", good[:-1]), "bytes"),
        "long.npy": (npy("<f4", "(1, 1, 4, 4)", good + b"x"), "bytes"),
        "huge.npy": (npy("<f4", "(99999999999, 99999999999)", good), "more elements"),
        "overflow.npy": (npy("<f4", "(4294967296, 4294967296, 2)", good), "more elements"),
        "fortran.npy": (npy("<f4", "(1, 1, 4, 4)", good, "True"), "Fortran"),
        "big_endian.npy": (npy(">f4", "(1, 1, 4, 4)", good), ">f4"),
        "objects.npy": (npy("|O", "(1, 1, 4, 4)", good), "|O"),
        "header.npy": (b"\x93NUMPY\x01\x00\xff\xff{}", "header"),
        "none.npy": (b"", "NumPy"),
        "words.npy": (b"not an array at all", "NumPy"),
        "shape.npy": (npy("<f4", "(4, 4, 1)", good[:-16]), "bytes"),
        "other.npy": (npy("<f4", "(2, 8)", good), "2x8"),
        "beyond.npy": (npy("<f4", "(1, 1, 4, 4)", struct.pack("<16f", *[1e5] * 16)), "65504"),
        "archive.npz": (npz({"image": npy("<f4", "(1, 1, 4, 4)", good)})[:-30], "npz"),
        "renamed.npz": (npz({"a": npy("<f4", "(1, 1, 4, 4)", good), "b": npy("<f4", "(1,)", good[:4])}), "image"),
        "bomb.npz": (npz({"image": npy("<f4", "(1, 1, 4, 4)", good) + b"\0" * (1 << 24)}), "max-memory"),
    }
    for name, (data, words) in files.items():
        (folder / name).write_bytes(data)
        done = run(program, ["run", "classifier.mil", "--input", name, "--max-memory", "1MB"], folder)
        expect(done.returncode == 2, f"{name}: exit code {done.returncode}")
        expect(words in done.stderr, f"{name}: {words!r} is not in {done.stderr!r}")
        expect(done.stdout == "", f"{name}: wrote {done.stdout!r}")
    for arguments in (
        ["check"],
        ["check", "classifier.mil", "--targets", "h99"],
        ["check", "classifier.mil", "--targets", "h16..h13"],
        ["check", "classifier.mil", "--waive", "R9999"],
        ["check", "classifier.mil", "--format", "xml"],
        ["check", "@missing.txt"],
        ["run", "classifier.mil", "--backend", "gpu"],
        ["run", "classifier.mil", "--output", "missing/\0".replace("\0", "") + "x" * 300],
        ["convert", "classifier.mil", "--to", "mil", "--output", "classifier.mil"],
        ["convert", "classifier.mil", "--to", "mlpackage", "--output", "."],
        ["draw", "."],
        ["unknown"],
        [],
    ):
        done = run(program, arguments, folder)
        expect(done.returncode == 2, f"{arguments}: exit code {done.returncode}, {done.stderr!r}")
        expect(done.stderr.strip() != "", f"{arguments}: says nothing")
    (folder / "broken.mil").write_text("program(1.0)\n{ func main<ios18>(tensor<fp16, [1, 4]> x) { } -> (y); }")
    done = run(program, ["check", "broken.mil"], folder)
    expect(done.returncode == 1, f"a file that is refused: exit code {done.returncode}")
    expect("broken.mil:2:" in done.stdout, f"no place in {done.stdout!r}")


def good_input(program, folder):
    import json
    import struct

    image = npy("<f4", "(1, 1, 4, 4)", struct.pack("<16f", *[i / 16 for i in range(16)]))
    (folder / "image.npy").write_bytes(image)
    (folder / "image.npz").write_bytes(npz({"image": image}))
    (folder / "arguments.txt").write_text("# one a line\nrun\nclassifier.mil\n--input\nimage.npy\n")
    one = run(program, ["@arguments.txt"], folder)
    two = run(program, ["run", "classifier.mil", "--input", "image.npz"], folder)
    three = run(program, ["run", "classifier.mil", "--input", "image=image.npy", "--output", "p.npy"], folder)
    expect(one.returncode == 0 and one.stdout == two.stdout == three.stdout, f"{one} {two} {three}")
    data = (folder / "p.npy").read_bytes()
    values = struct.unpack("<2e", data[-4:])
    expect(abs(sum(values) - 1) < 0.002, f"a softmax gave {values}")
    expect(re.search(rb"'descr': '<f2'.*'shape': \(1, 2\)", data) is not None, "the header of p.npy")
    same = run(program, ["run", "classifier.mil", "--input", "image.npy", "--compare", "p.npy"], folder)
    expect(same.returncode == 0, f"compared with itself: {same}")
    (folder / "q.npy").write_bytes(npy("<f4", "(1, 2)", struct.pack("<2f", 0.25, 0.75)))
    other = run(program, ["run", "classifier.mil", "--input", "image.npy", "--compare", "q.npy"], folder)
    expect(other.returncode == 1, f"compared with another: {other}")
    for arguments in (["check", "classifier.mil", "--format", "json"], ["check", "classifier.mil", "--format", "sarif"],
                      ["cost", "classifier.mil", "--json"], ["targets", "--json"], ["rules", "--json"],
                      ["bench", "classifier.mil", "--seconds", "0.01", "--json"], ["placement", "classifier.mil", "--json"],
                      ["timeline", "classifier.mil", "--json"], ["optimize", "classifier.mil", "--json", "--prove"],
                      ["compress", "classifier.mil", "--json"]):
        done = run(program, arguments, folder)
        json.loads(done.stdout)
        expect(done.returncode == 0, f"{arguments}: {done.returncode}")
    (folder / "anemone.toml").write_text('[check]\ntargets = "h13"\n')
    done = run(program, ["check", "classifier.mil", "-q"], folder)
    expect("h13" in done.stdout and "h14" not in done.stdout, f"the configuration is not read: {done.stdout}")
    (folder / "anemone.toml").unlink()
    for place in ("again", "classifier.netplist"):
        done = run(program, ["convert", "classifier.mil", "--to", "mil", "--output", place], folder)
        expect(done.returncode == 0, f"convert: {done}")
    again = run(program, ["run", "again", "--input", "image.npy"], folder)
    expect(again.stdout == one.stdout, f"converted: {again.stdout}")


def html(program, folder):
    """One page that needs nothing else, with hostile names escaped."""
    import html.parser

    class reader(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.cells, self.links = [], 0, []

        def handle_starttag(self, tag, attributes):
            if tag not in ("meta", "br", "wbr", "link", "img"):
                self.open.append(tag)
            self.cells += tag == "td"
            self.links += [value for name, value in attributes if name in ("src", "href") and not value.startswith("#")]

        def handle_startendtag(self, tag, attributes):
            pass

        def handle_endtag(self, tag):
            if not self.open or self.open.pop() != tag:
                raise ValueError(f"</{tag}> ends nothing")

    name = "<b>&\"'.mil"
    (folder / name).write_bytes((folder / "classifier.mil").read_bytes())
    done = run(program, ["check", name, "--format", "html"], folder)
    page = reader()
    page.feed(done.stdout)
    expect(done.returncode == 0 and page.open == [], f"html: {done.returncode}, open: {page.open}")
    expect(page.cells > 50, f"{page.cells} cells")
    expect(page.links == [], f"the page needs {page.links}")
    expect("<b>" not in done.stdout, "a name is not escaped")


def main():
    program = command()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for each in (ROOT / "examples" / "reading").iterdir():
            if each.suffix != ".cpp":
                (folder / each.name).write_bytes(each.read_bytes())
        printed = sessions(program, folder)
        page = PAGE.read_text()
        head = page[: page.index(MARK) + len(MARK)]
        if "--update" in sys.argv:
            PAGE.write_text(head + "\n" + printed)
        else:
            expect(timeless(page) == timeless(head + "\n" + printed), "docs/command.md is not what the command prints; --update writes it")
        good_input(program, folder)
        bad_input(program, folder)
        html(program, folder)
    return verdict(f"{len(SESSIONS)} sessions")


if __name__ == "__main__":
    sys.exit(main())
