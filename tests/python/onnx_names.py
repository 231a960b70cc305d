#!/usr/bin/env python3
"""The ONNX column of graph/operations.def: every name is an operator of ONNX, and the operands fit its inputs."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import onnx
except ImportError:
    sys.exit(77)

ROWS = pathlib.Path(os.environ["ANEMONE_SOURCE_DIR"]) / "include/anemone/graph/operations.def"
# Operators that came with a later version of ONNX than the one installed may be: the version of the operator set.
LATER = {"Gelu": 20, "GroupNormalization": 18, "RMSNormalization": 23, "Attention": 23}
# What ONNX has as an input is an attribute or a shape here.
ATTRIBUTES = {"Clip", "Pad", "Slice", "ReduceSum", "CumSum", "Reshape", "Tile", "Resize", "TopK", "Dropout"}


def main():
    preprocessor = shutil.which("g++") or shutil.which("clang++")
    if preprocessor is None:
        return 77
    expanded = subprocess.run([preprocessor, "-E", "-P", "-x", "c++", "-DANEMONE_OPERATION(...)=ROW(__VA_ARGS__)", ROWS],
                              capture_output=True, text=True, check=True).stdout
    rows = re.findall(r'ROW\((\w+), \w+, (\d+), (.+?), \w+, "(\w*)", "', expanded)
    if len(rows) < 100:
        sys.exit(f"{ROWS}: {len(rows)} rows were understood")
    faults = []
    for name, least, most, operator in rows:
        if not operator or (operator in LATER and onnx.defs.onnx_opset_version() < LATER[operator]):
            continue
        if not onnx.defs.has(operator):
            faults.append(f"{name}: ONNX has no operator {operator}")
            continue
        schema = onnx.defs.get_schema(operator)
        if int(least) > schema.max_input or (operator not in ATTRIBUTES and int(least) < min(schema.min_input, 3)):
            faults.append(f"{name} takes {least} operands at least, {operator} {schema.min_input} to {schema.max_input}")
    print("\n".join(faults) or f"{len(rows)} rows, every name is known")
    return 1 if faults else 0


sys.exit(main())
