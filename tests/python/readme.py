"""The README's first program is the one that the package test compiles and runs, its links lead somewhere, and each of its
claims is held by a test (_claims.py)."""

import os
import pathlib
import re
import sys

from _claims import CLAIMS, NUMBERS, RECORDED, ROWS

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


def flat(text):
    return re.sub(r"\s+", " ", text)


def joined(source):
    """C++ with the texts of several lines as one."""
    return re.sub(r'"\s*\n\s*"', "", source)


claims = flat(readme)
wrong = []
for words, held in CLAIMS:
    if words not in claims:
        wrong.append(f"README.md has no longer: {words}")
    for test in held:
        name, title = test if isinstance(test, tuple) else (test, None)
        path = root / name
        if not path.exists():
            wrong.append(f"{words}: there is no {name}")
        elif title is not None and f'TEST_CASE("{title}"' not in joined(path.read_text()):
            wrong.append(f"{words}: {name} has no case '{title}'")
wrong += [f"README.md has no longer: {words}" for words in RECORDED if words not in claims]
for pattern, page, told in NUMBERS:
    here, there = re.search(pattern, claims), re.search(told, (root / page).read_text())
    if here is None or there is None or here.groups() != there.groups():
        wrong.append(f"README.md and {page} differ: {pattern}: {here and here.groups()}, {there and there.groups()}")
for pattern, page, row in ROWS:
    here, rows = re.search(pattern, claims), re.findall(row, (root / page).read_text(), re.MULTILINE)
    if here is None or int(here[1]) != len(rows):
        wrong.append(f"{page} has {len(rows)} rows, README.md tells of {here and here[1]}: {pattern}")

# Rows and paragraphs that claim something have a test.
proves = re.search(r"## What it proves\n(.*?)\n## ", readme, re.DOTALL).group(1)
there = re.search(r"## What there is\n(.*?)\n## ", readme, re.DOTALL).group(1)
parts = [flat(part) for part in re.split(r"\n- ", proves) if part.strip()]
parts += [row for row in there.splitlines() if row.startswith("| **")]
wrong += [f"no test holds: {part[:90]}" for part in parts if not any(words in flat(part) for words, _ in CLAIMS)]
if wrong:
    sys.exit("claims of README.md:\n  " + "\n  ".join(wrong))
print(f"{len(pages)} pages, the first program is the tested one, {len(CLAIMS)} claims have their tests, and {len(NUMBERS) + len(ROWS)} numbers")
