#!/usr/bin/env python3
"""The tool that writes the statistics of a weight file into a header, with NumPy as the referee.

Files are made here, byte by byte; the header's numbers must be those of NumPy, and the same on every run. Broken
files and odd names are part of it.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("ANEMONE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", "build"))
TOOL = pathlib.Path(os.environ.get("ANEMONE_STATISTICS_TOOL", BUILD / "bin" / "example_weight_statistics"))

try:
    import numpy as np
except ImportError:
    print("no NumPy: left out")
    sys.exit(0)
if not TOOL.exists():
    print(f"no {TOOL}: left out")
    sys.exit(0)

TYPES = {"float16": "F16", "float32": "F32", "float64": "F64", "int32": "I32", "uint8": "U8", "bool": "BOOL"}
CONSTANT = re.compile(
    r'/// ("(?:[^"\\]|\\.)*"): (\S+) (\[.*\])\n'
    r"inline constexpr ane::tensor_statistics (\w+)\{\.low = (\S+), \.high = (\S+), "
    r"\.row_l1 = (\S+), \.column_l1 = (\S+), \.deviation = (\S+?)(?:, \.zeros = \S+)?\};\n"
)


def safetensors(tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        raw = array.tobytes()
        header[name] = {"dtype": TYPES[str(array.dtype)], "shape": array.shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def referee(array):
    """low, high, row_l1, column_l1, deviation of the values after rounding to fp16."""
    wide = array.astype(np.float16).astype(np.float64)
    if wide.size == 0:
        return [0.0] * 5
    rows = np.abs(wide.reshape(wide.shape[0] if wide.ndim > 0 else 1, -1)).sum(axis=1)
    columns = np.abs(np.moveaxis(wide, 1, 0).reshape(wide.shape[1], -1)).sum(axis=1) if wide.ndim > 1 else np.abs(wide).sum()
    return [wide.min(), wide.max(), rows.max(), np.max(columns), np.sqrt(np.mean(wide**2))]


class Statistics(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "model.safetensors"

    def run_tool(self, *arguments):
        return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})

    def header(self, tensors, *arguments):
        self.path.write_bytes(safetensors(tensors))
        done = self.run_tool(self.path, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def constants(self, text):
        """Name of the tensor -> (identifier, numbers)."""
        return {json.loads(m[0]): (m[3], [float(v) for v in m[4:]]) for m in CONSTANT.findall(text)}

    def test_numbers(self):
        seed = 20240611
        random = np.random.default_rng(seed)
        tensors = {}
        for k in range(60):
            shape = tuple(random.integers(1, 9, size=random.integers(0, 5)))
            scale = 2.0 ** random.integers(-18, 12)
            kind = random.choice(["float16", "float32", "float64"])
            tensors[f"t.{k}"] = np.asarray(np.clip(random.normal(size=shape) * scale, -6e4, 6e4), dtype=kind)
        tensors["empty"] = np.zeros((0, 3), np.float32)
        tensors["codes"] = np.arange(-20, 20, dtype=np.int32).reshape(4, 10)
        found = self.constants(self.header(tensors))
        self.assertEqual(found.keys(), tensors.keys(), f"seed {seed}")
        for name, array in tensors.items():
            _, got = found[name]
            want = referee(array)
            # Sums of fp16 values in double are exact: equal to the last bit whatever the order.
            self.assertEqual(got[:4], want[:4], f"seed {seed}, {name} {array.shape}")
            self.assertAlmostEqual(got[4], want[4], delta=1e-12 * (1 + want[4]))

    def test_same_every_time(self):
        tensors = {"b": np.ones(3, np.float32), "a": np.ones((2, 2), np.float16)}
        first = self.header(tensors)
        self.assertEqual(first, self.header(tensors))
        self.assertIn(hashlib.sha256(self.path.read_bytes()).hexdigest(), first)
        self.assertNotIn(self.folder.name, first)
        self.assertLess(first.index('"a"'), first.index('"b"'))
        reordered = self.header(dict(reversed(tensors.items())))
        without_digest = lambda text: re.sub(r"sha256: \w+", "", text)
        self.assertEqual(without_digest(first), without_digest(reordered))

    def test_digest(self):
        for size in [1, 55, 56, 63, 64, 119, 1000]:  # around the ends of its blocks
            self.assertIn(hashlib.sha256(safetensors({"w": np.zeros(size, np.uint8)})).hexdigest(),
                          self.header({"w": np.zeros(size, np.uint8)}))

    def test_names(self):
        names = ["a.b", "a_b", "a-b", "a_b_2", "0.weight", "new", "ünï", "...", "", "x\ny\\", "//*/", "__w__", "Linear.W"]
        text = self.header({name: np.full(2, i, np.float32) for i, name in enumerate(names)}, "--namespace", "my::stats")
        found = self.constants(text)
        self.assertEqual(set(found), set(names))
        called = [found[name][0] for name in names]
        self.assertEqual(len(set(called)), len(names))
        self.assertEqual(found["a-b"][0], "a_b")  # the first in sorted order
        self.assertEqual(found["a_b_2"][0], "a_b_2")  # a name's own identifier is not taken by a number
        self.assertEqual(found["new"][0], "new_")
        self.assertEqual(found["0.weight"][0], "w_0_weight")
        for name in called:
            self.assertRegex(name, r"^[A-Za-z][A-Za-z0-9_]*$")
            self.assertNotIn("__", name)
        compiler = next((c for c in [os.environ.get("CXX"), "g++", "clang++", "c++"] if c and shutil.which(c)), None)
        if compiler:
            source = pathlib.Path(self.folder.name) / "use.cpp"
            source.write_text(text + "static_assert(my::stats::w_0_weight.high == 4);\n")
            done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", ROOT / "include", source],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("error", done.stderr)

    def test_output_file(self):
        self.path.write_bytes(safetensors({"w": np.ones(1, np.float32)}))
        output = pathlib.Path(self.folder.name) / "made" / "stats.hpp"
        done = self.run_tool(self.path, "--output", output)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))  # no bar where nobody looks
        self.assertEqual(output.read_text(), self.run_tool(self.path).stdout)

    def test_left_out(self):
        """A tensor without an fp16 form gets no constant; the reason stands in its place and on standard error."""
        self.path.write_bytes(safetensors({
            "mask": np.ones(3, bool), "ids": np.array([5000001], np.int32), "nan": np.array([1, np.nan], np.float32),
            "large": np.array([70000.0], np.float32), "good": np.ones(3, np.float32)}))
        done = self.run_tool(self.path)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(list(self.constants(done.stdout)), ["good"])
        for name in ["mask", "ids", "nan", "large"]:
            self.assertIn(f'"{name}" is left out', done.stderr)
            self.assertRegex(done.stdout, f'/// "{name}": .*\n/// is left out: ')

    def assert_fails(self, arguments, *parts):
        done = self.run_tool(*arguments)
        self.assertEqual(done.returncode, 1, arguments)
        self.assertEqual(done.stdout, "")
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_broken_files(self):
        good = safetensors({"w": np.ones(8, np.float32)})
        output = pathlib.Path(self.folder.name) / "stats.hpp"
        self.assert_fails([self.path, "--output", output], "model.safetensors", "cannot be opened")
        for broken in [b"", good[:4], good[:20], good[:-1], good + b"x", b"\xff" * 64, good.replace(b"F32", b"Q32")]:
            self.path.write_bytes(broken)
            self.assert_fails([self.path, "--output", output], "model.safetensors")
        self.assertFalse(output.exists())

    def test_arguments(self):
        self.path.write_bytes(safetensors({"w": np.ones(1, np.float32)}))
        self.assert_fails([self.path, self.path], "not understood")
        self.assert_fails([self.path, "--outptu", "x"], "not understood")
        self.assert_fails([self.path, "--output"], "wants a value")
        for space in ["", "a::", "::a", "1a", "a b", "new", "a__b", "a:b"]:
            self.assert_fails([self.path, "--namespace", space], "namespace")
        self.assert_fails([self.path, "--output", self.folder.name], "is a directory")


if __name__ == "__main__":
    unittest.main()
