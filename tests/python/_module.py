"""What the tests of the Python module share: the module that was built, a model, and what it refuses.

Ends with 77 where the module was not built (ANEMONE_BUILD_PYTHON), or there is no NumPy."""

import os
import pathlib
import sys

from _harness import ROOT, expect, skip

BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", ROOT / "build" / "gcc"))
if not list((BUILD / "python" / "anemone").glob("_native.*.so")):
    skip("the Python module was not built")
sys.path.insert(0, str(BUILD / "python"))

try:
    import numpy
except ImportError:
    skip("no NumPy")

import anemone  # noqa: E402

CLASSIFIER = ROOT / "examples" / "reading" / "classifier.mil"


def refused(call, kind, *words):
    """That a call raises anemone.Error of a kind, with these words."""
    try:
        answer = call()
    except anemone.Error as error:
        expect(error.kind == kind, f"kind {error.kind} instead of {kind}: {error}")
        for each in words:
            expect(each in str(error), f"{each!r} is not in {str(error)!r}")
        return error
    expect(False, f"nothing was raised, but {answer!r} given, in place of {words}")
    return None
