"""The sentences of the command speak of its own options and of what is in files: no name of C++ stands in them.

Usage: words.py [PROGRAM]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given."""

import re
import sys
import tempfile
import pathlib

import _harness
import _networks
from _harness import ROOT, command, expect, verdict

sys.path.insert(0, str(ROOT / "tests"))
import from_environment

TESTS = ROOT / "tests"
CPP = re.compile(r"\w+::\w+|\b\w+_t\b|\{\.\w+|\bscaled<|\b\w+_options\b|\bstd::|\bwithin\(\w|\bg\.\w+\(|\bfind_target\b")
RULES = sorted(page.stem for page in (ROOT / "docs" / "rules").glob("*.md")
               if page.stem not in ("index", "shape_faults", "refused_operations", "held_elsewhere"))
# What may be said: a namespace that is asked for, and what the engine's own compiler prints.
ALLOWED = re.compile(r"a::b|the engine's compiler: unordered_map::at")


def faults_in(told):
    """The lines that have a name of C++ in them."""
    return [line for line in told.splitlines() if CPP.search(ALLOWED.sub("", line))]


def main():
    program = command()
    files = [path for folder in ("rules", "readers", "diff") for path in sorted((TESTS / folder / "cases").glob("*"))
             if path.suffix in (".mil", ".onnx")]
    files += sorted((TESTS / "onnx" / "cases").glob("*.onnx"))
    runs = 0
    thorough = from_environment.thorough()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for number in range(8):
            files.append(folder / f"{number}.mil")
            files[-1].write_text(_networks.network(1, number)[1])
        (folder / "empty.mil").write_text("")
        (folder / "odd.mil").write_text("program(1.3)\n{ func main<ios17>(tensor<fp16, [1, 4]> x) { } -> (x); }")
        files += [folder / "empty.mil", folder / "odd.mil", folder / "none.onnx"]
        calls = [["check", "--explain", rule] for rule in RULES] + [["--help"]]
        calls += [[name, "--help"] for name in ("check", "convert", "cost", "optimize", "compress", "diff", "run", "placement", "timeline", "draw")]
        for place, path in enumerate(files):
            of_file = [["check", path, "-a"], ["check", path, "--route", "netplist", "--system", "macos13"],
                       ["cost", path, "-t", "h13"], ["optimize", path, "-t", "h13", "--values"],
                       ["placement", path, "-t", "h13"], ["convert", path, "--to", "mil", "-o", folder / "out"],
                       ["convert", path, "--to", "netplist", "-o", folder / "out.plist"],
                       ["compress", path, "-t", "h13", "--most-loss", "0.5"]]
            # In the usual test every other one, of the next file the others.
            calls += of_file if thorough else of_file[place % 2::2]
        path = files[0]
        calls += [["check", path, "-t", "h99"], ["check", path, "--waive", "R999"], ["check", path, "-r", "nowhere=0,1"],
                  ["check", path, "--shape", "x=1,0"], ["run", path, "--input", "none.npz"], ["diff", path, "-b", "cpu,none"]]
        for call in calls:
            done = _harness.run(program, [str(each) for each in call], folder)
            runs += 1
            expect(done.returncode in range(0, 128), f"{call}: {done.returncode}")
            for line in faults_in(done.stdout + done.stderr):
                expect(False, f"{' '.join(str(c) for c in call)}: {line[:300]}")
    return verdict(f"{runs} calls")


if __name__ == "__main__":
    sys.exit(main())
