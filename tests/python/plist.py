#!/usr/bin/env python3
"""Property lists against Python's plistlib, both ways: what it writes is read, and written again in both forms with its
own bytes."""

import datetime
import os
import pathlib
import plistlib
import random
import string
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import from_environment

BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", "build"))
PROGRAM = BUILD / "bin" / "convert_plist"
FORMS = {"xml": plistlib.FMT_XML, "binary": plistlib.FMT_BINARY}


def any_text(rng):
    letters = string.ascii_letters + "<>&\"' \t\n" + "\u00e9\u20ac\U0001f600"
    return "".join(rng.choice(letters) for _ in range(rng.choice((0, 1, 5, 14, 15, 16, 300))))


def any_value(rng, depth=0):
    kind = rng.randrange(2 if depth < 4 else 0, 9) if depth else 0
    kind = rng.choice((0, 1)) if depth and depth < 4 and rng.random() < 0.4 else kind
    if kind == 0:
        return {any_text(rng): any_value(rng, depth + 1) for _ in range(rng.choice((0, 3, 20)))} if depth < 5 else {}
    if kind == 1:
        return [any_value(rng, depth + 1) for _ in range(rng.choice((0, 3, 20)))]
    if kind == 2:
        bits = rng.choice((1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 62, 63))
        return rng.randrange(-(2**bits), 2**bits)
    if kind == 3:
        return rng.choice((0.5, 1.0, -1e300, 1e-300, 3.141592653589793, float("inf"), float("-inf"))) * rng.random()
    if kind == 4:
        return rng.random() < 0.5
    if kind == 5:
        return bytes(rng.randrange(256) for _ in range(rng.choice((0, 1, 2, 3, 57, 200))))
    if kind == 6:
        return datetime.datetime(rng.randrange(1, 10000), rng.randrange(1, 13), rng.randrange(1, 29),
                                 rng.randrange(24), rng.randrange(60), rng.randrange(60))
    return any_text(rng)


class Plist(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.place = pathlib.Path(self.directory.name)

    def converted(self, data, form):
        """The bytes that the program makes of a file, or its refusal."""
        source, target = self.place / "source", self.place / "target"
        source.write_bytes(data)
        done = subprocess.run([PROGRAM, source, form, target], capture_output=True, text=True)
        return target.read_bytes() if done.returncode == 0 else done.stderr

    def test_both_ways(self):
        seed = from_environment.seed()
        print(f"ANEMONE_TEST_SEED={seed}")
        rng = random.Random(seed)
        for number in range(12):
            value = any_value(rng)
            for read in FORMS.values():
                data = plistlib.dumps(value, fmt=read)
                for form, written in FORMS.items():
                    with self.subTest(seed=seed, number=number, form=form):
                        got = self.converted(data, form)
                        self.assertIsInstance(got, bytes, got)
                        self.assertEqual(plistlib.loads(got), plistlib.loads(data))
                        if form == "xml":
                            self.assertEqual(got, plistlib.dumps(plistlib.loads(data), fmt=written, sort_keys=True))

    def test_binary_bytes(self):
        value = {"a": [1, 2, 300, "text", "caf\u00e9", 2.5, True], "b": {"c": b"1234", "a": 2}, "text": "text"}
        for read in FORMS.values():
            got = self.converted(plistlib.dumps(value, fmt=read), "binary")
            self.assertEqual(got, plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=True))

    def test_what_we_refuse(self):
        for value, part in (({"a": plistlib.UID(1)}, "is a UID"), ([2**63], "64 bits")):
            self.assertIn(part, self.converted(plistlib.dumps(value, fmt=plistlib.FMT_BINARY), "xml"))


if __name__ == "__main__":
    unittest.main()
