"""The README's first program is the one that the package test compiles and runs, and its links lead somewhere."""

import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ.get("ANEMONE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
readme = (root / "README.md").read_text()

shown = re.search(r"```cpp\n(.*?)```", readme, re.DOTALL)
if shown is None or shown.group(1) != (root / "tests/package/main.cpp").read_text():
    sys.exit("README.md: the first program differs from tests/package/main.cpp")

pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
missing = []
for page in pages:
    prose = re.sub(r"```.*?```|`[^`]*`|^    .*$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        if "://" not in target and not (page.parent / target).exists():
            missing.append(f"{page.relative_to(root)}: {target}")
if missing:
    sys.exit("links that lead nowhere:\n  " + "\n  ".join(missing))
print(f"{len(pages)} pages, the first program is the tested one")
