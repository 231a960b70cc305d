"""The snippets of these pages stand line by line in a source of tests/pages, or in the example in C, which are compiled and
run. Those of docs/python.md are run by module.py."""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("ANEMONE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PAGES = ["getting_started.md", "weights.md", "running.md", "dynamic_models.md", "engine.md", "netplist_door.md", "formats.md",
         "road_of_a_tensor.md", "reading.md", "segments.md", "states.md", "buckets.md",
         "onnx.md", "c.md", "timeline.md", "gradients.md", "training.md", "trainer.md", "checks.md", "envelope.md",
         "differences.md", "language_models.md", "decoding.md"]


def code(text):
    """The lines of a source as they can be compared: without indentation and empty lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def stands_in(snippet, source):
    return any(source[i : i + len(snippet)] == snippet for i in range(len(source) - len(snippet) + 1))


def main():
    assert stands_in(["b", "c"], ["a", "b", "c"]) and not stands_in(["a", "c"], ["a", "b", "c"])
    sources = [code(path.read_text()) for path in sorted((ROOT / "tests/pages").glob("*.?pp"))]
    sources.append(code((ROOT / "tests/onnx/page.cpp").read_text()))  # of a component that not everybody builds
    sources += [code(path.read_text()) for path in sorted((ROOT / "examples/c").glob("*.c"))]
    found = missing = 0
    for page in PAGES:
        for snippet in re.findall(r"^```(?:cpp|c)\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.DOTALL | re.MULTILINE):
            if "int main()" in snippet:  # an example of its own
                continue
            found += 1
            if not any(stands_in(code(snippet), source) for source in sources):
                missing += 1
                print(f"docs/{page}: no source of tests/pages has the snippet\n{snippet}")
    print(f"{len(PAGES)} pages, {found} snippets, {missing} of them in no test")
    return 1 if missing or not found else 0


if __name__ == "__main__":
    sys.exit(main())
