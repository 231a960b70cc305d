#!/usr/bin/env python3
"""Names of layers survive: from an ONNX file, a MIL file and a netplist to findings, drawings, MIL text and netplists.

The names are hostile; whatever is written is read by another reader than ours (plistlib, an XML parser, a pattern for MIL
text), and terminals see no control character. Ends with 77 where the command or Python's ONNX is missing.
"""

import json
import pathlib
import plistlib
import re
import sys
import tempfile
import xml.etree.ElementTree

import _harness
from _harness import command, expect, skip, verdict

try:
    from onnx import TensorProto, helper, save
except ImportError:
    skip("Python's ONNX is missing")

NAMES = ["/stem/Conv", "/stem/Conv", 'say "hi"\\', "\x1b[31mred\r\n", "<script>&amp;", "層", "a" * 10_000, "", "x", "t3", "fp16",
         "Units", "\u202eleft", "*/"]
OPERATORS = ["Relu", "Tanh", "Sigmoid", "Abs", "Neg", "Exp", "Sqrt"]


def run(program, folder, *arguments):
    if arguments[0] == "check":
        arguments = (*arguments, "--all")  # every finding, also those that are alike
    done = _harness.run(program, arguments, folder, text=False)
    for stream in (done.stdout, done.stderr):
        expect(not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", stream), f"a control character of {arguments}: {stream[:300]!r}")
        expect("\u202e" not in stream.decode(), f"{arguments} turns the direction of the text")
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def model():
    """A chain of operations, one for each name."""
    nodes, value = [], "x"
    for i, name in enumerate(NAMES):
        after = "y" if i + 1 == len(NAMES) else f"value/{i}"
        nodes.append(helper.make_node(OPERATORS[i % len(OPERATORS)], [value], [after], name=name))
        value = after
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4, 3, 5]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def findings(program, folder, file):
    status, text, _ = run(program, folder, "check", file, "--targets", "h13", "--format", "json")
    expect(status in (0, 1), f"check {file}: {status} {text[:200]}")
    return {each["node"] for row in json.loads(text)["verdicts"] for each in row["violations"]}


def main():
    program = command()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save(model(), folder / "net.onnx")
        status, text, errors = run(program, folder, "check", "net.onnx", "--targets", "h13")
        if "without ONNX" in errors:
            return 77
        # Rows of ten bytes: every layer has a finding, and is told by its name and the number of its node.
        for i, shown in enumerate(["/stem/Conv", "/stem/Conv", 'say "hi"\\', "\\u001b[31mred\\u000d\\u000a", "<script>&amp;",
                                   "層", "a" * 124 + "..." + "a" * 124, "value/7", "x", "t3", "fp16", "Units",
                                   "\\u202eleft", "*/"]):
            expect(f'"{shown}" (net.onnx:{i + 1})' in text, f"no finding tells of {shown!r} at {i + 1}: {text[:2000]}")
        for to in ("html", "sarif", "json"):
            run(program, folder, "check", "net.onnx", "--targets", "h13", "--format", to)

        status, _, errors = run(program, folder, "draw", "net.onnx", "--output", "net.svg")
        drawing = xml.etree.ElementTree.parse(folder / "net.svg") if status == 0 else None
        drawn = "".join(drawing.getroot().itertext()) if drawing else ""
        for shown in ("/stem/Conv", 'say "hi"\\', "<script>&amp;", "層", "*/"):
            expect(shown in drawn, f"the drawing has no {shown!r} {errors}")

        status, _, errors = run(program, folder, "convert", "net.onnx", "--to", "mil", "--output", "mil")
        expect(status == 0, f"to MIL: {errors}")
        text = (folder / "mil" / "model.mil").read_bytes().decode("ascii")
        statements = re.findall(r'^        [^=]* (\w+) = \w+\(.*\)\[name = string\("(\w+)"\)\];$', text, re.M)
        expect(len(statements) == text.count("[name ="), "a name of a statement is no identifier")
        variables = [each for each, _ in statements]
        expect(len(variables) == len(set(variables)), f"a variable is defined twice: {sorted(variables)}")
        names = [each for _, each in statements]
        for shown in ("stem_Conv", "stem_Conv__1", "say__hi__", "_t3", "_fp16", "a" * 124 + "___" + "a" * 73, "Units"):
            expect(shown in names, f"MIL text has no {shown!r}: {names}")
        for shown in ("stem_Conv", "say__hi__", "_t3"):
            status, text, _ = run(program, folder, "check", "mil", "--targets", "h13")
            expect(f'"{shown}" (model.mil:' in text, f"read again: no {shown!r} in {text[:2000]}")
        expect("stem_Conv__1" not in text, "a part is read as a layer of its own")

        status, _, errors = run(program, folder, "convert", "net.onnx", "--to", "netplist", "--output", "netplist")
        expect(status == 0, f"to a netplist: {errors}")
        with open(folder / "netplist" / "net.plist", "rb") as file:
            document = plistlib.load(file)
        network = document[document["Networks"][0]]
        units = network["Units"]
        expect(len(units) == len(set(units)) and all(re.fullmatch(r"\w+", each, re.A) for each in units), f"units {units}")
        for shown in ("stem_Conv", "stem_Conv__1", "say__hi__", "t3", "fp16"):
            expect(shown in units, f"the netplist has no unit {shown!r}: {units}")
        status, text, _ = run(program, folder, "check", "netplist", "--targets", "h13")
        expect('"stem_Conv" (net.plist:' in text and '"say__hi__" (' in text, f"read again: {text[:1000]}")

        status, _, errors = run(program, folder, "convert", "net.onnx", "--to", "cpp", "--output", "net.hpp")
        text = (folder / "net.hpp").read_bytes().decode("ascii") if status == 0 else errors
        for shown in (r'g.layer("/stem/Conv", relu(x))', r'g.layer("say \"hi\"\\", ', r'g.layer("\345\261\244", '):
            expect(shown in text, f"C++ has no {shown!r}: {text[:3000]}")
    return verdict(f"{len(NAMES)} names")


if __name__ == "__main__":
    sys.exit(main())
