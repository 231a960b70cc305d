#!/usr/bin/env python3
"""An operation that lacks a part does not compile, and the message names the operation and the part.

In a copy of the headers a row is added to graph/operations.def, and one part after the other is given to it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ["ANEMONE_SOURCE_DIR"])
ROW = 'ANEMONE_FUNCTION(invented, "", "")\n'
CATALOGUE = "".join(f"#include <anemone/catalogue/{part}.hpp>\n" for part in ("catalogue", "engine_path", "monotonicity", "mixing"))
ARITHMETIC = "#include <anemone/numerics/elementwise.hpp>\n"
STRUCT = "namespace ane::detail::catalogue {\ntemplate <> struct operation<op::invented> : %s {};\n}\n"


def errors(include, source):
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{include}", "-DANEMONE_COMPILED", "-x", "c++", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    return [line for line in done.stderr.splitlines() if "error:" in line] if done.returncode != 0 else []


def main():
    if shutil.which("g++") is None:
        return 77
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        include = pathlib.Path(scratch) / "include"
        shutil.copytree(ROOT / "include", include)
        rows = include / "anemone/graph/operations.def"
        text = rows.read_text()
        # Behind the last function, so that it stands in its group.
        assert text.count("ANEMONE_FUNCTION(atan, ") == 1
        rows.write_text(text.replace("ANEMONE_FUNCTION(atan, ", ROW + "ANEMONE_FUNCTION(atan, "))
        unary = include / "anemone/catalogue/unary.hpp"
        functions = unary.read_text()

        def expect(what, source, *words):
            found = errors(include, source)
            if not found or not any(all(word in line for word in words) for line in found):
                faults.append(f"{what}: no error has {words}: {found[:3]}")

        expect("no struct", CATALOGUE, "operation<ane::op::invented>")
        unary.write_text(functions + STRUCT % "function")
        expect("no range", CATALOGUE, "range", "op::invented")
        expect("no floor", CATALOGUE, "support", "op::invented")
        expect("no path", CATALOGUE, "engine", "op::invented")
        expect("no monotonicity", CATALOGUE, "grows", "op::invented")
        unary.write_text(functions + STRUCT % "operation<op::sin>")
        if errors(include, CATALOGUE):
            faults.append("with every part of the catalogue it does not compile")
        expect("no arithmetic of the engine", ARITHMETIC, "has no arithmetic of the engine")

        # A norm, which says along which axes it mixes elements, and a comparison, which has its row of outcomes.
        norm = 'ANEMONE_OPERATION(invented, normalization, 1, 1, stabilizer, "", "")\n'
        rows.write_text(text.replace("ANEMONE_OPERATION(softmax, ", norm + "ANEMONE_OPERATION(softmax, "))
        expect("no mixed axes", CATALOGUE, "mixes", "op::invented")
        comparison = 'ANEMONE_COMPARISON(invented, "", "")\n'
        rows.write_text(text.replace("ANEMONE_COMPARISON(equal, ", comparison + "ANEMONE_COMPARISON(equal, "))
        expect("no outcomes of a comparison", ARITHMETIC, "a comparison has no row in numerics/comparison.hpp")
    print("\n".join(faults) or "every missing part was named")
    return 1 if faults else 0


sys.exit(main())
