#!/usr/bin/env python3
"""Every option is in every front end, as its table in tools/app describes it: in the command's help and manual, in the
comments of anemone.h, in Python's parameters, their documentation and the table of docs/python.md. What a front end has
beside the tables is its own, by the lists below; what it leaves out has a reason in the table.

Usage: options.py [--update]; the update writes the comments of anemone.h (clang-format aligns them), the parameters and
documentation in model.py, and the table of docs/python.md."""

import re
import shutil
import subprocess
import sys

import _options
from _harness import ROOT, command, expect, verdict
from _options import HEADER, MODEL, PAGE

# What the command has beside the options of its use cases: files that it reads and writes, and how it prints.
FILES_AND_FORMATS = {
    "check": {"--format", "--output", "--explain", "--quiet", "--all", "--jobs"},
    "run": {"--input", "--seed", "--output", "--compare", "--atol", "--rtol", "--image-scale", "--image-mean", "--image-std"},
    "diff": {"--input", "--svg", "--json"},
    "cost": {"--layers", "--json"},
    "placement": {"--json"},
    "timeline": {"--svg", "--json"},
    "optimize": {"--output", "--to", "--force", "--svg", "--json"},
    "compress": {"--output", "--force", "--svg", "--json"},
    "train": {"--output", "--to", "--force", "--csv", "--svg", "--json"},
    "generate": {"--tokens", "--text", "--json"},
    "precision": {"--data", "--text", "--json"},
    "draw": {"--output"},
    "convert": {"--output"},
    "bench": {"--json", "--csv", "--svg"},
}
# A structure of tools/app with its members and the rows of its table.
TABLE = r"^struct (\w+) \{\n((?:(?!^\};).)*?)static constexpr auto table\(\) \{(.*?)^\};"
ANY_SUBCOMMAND = "*"  # the place of how a model is read
READS_CHECKPOINTS_ALONE = {"generate", "precision"}


def help_of(program, subcommand):
    """The options of a subcommand by name: (all that the first line says, the text)."""
    told = subprocess.run([program, subcommand, "--help"], capture_output=True, text=True, check=True).stdout
    found, name = {}, None
    for line in told[told.index("Options:"):].split("\n\n")[0].splitlines()[1:]:
        declared = re.match(r"  (-\S+)", line)
        if declared:
            name = declared[1].split(",")[-1]
            found[name] = [line, ""]
        found[name][1] += " " + line[30:] if len(line) > 30 else ""
    return {name: (line, " ".join(text.split())) for name, (line, text) in found.items()}


def spelled(option):
    return "--" + option["names"]["command"].replace("_", "-")


def in_the_command(program, cases):
    manual = subprocess.run([program, "manual"], capture_output=True, text=True, check=True).stdout.replace("\\-", "-")
    for subcommand, own in FILES_AND_FORMATS.items():
        told = help_of(program, subcommand)
        known = {"--help", *own}
        own_names = {spelled(option) for case in cases if case["place"]["command"] == subcommand for option in case["options"]}
        for case in cases:
            if case["place"]["command"] not in (subcommand, ANY_SUBCOMMAND):
                continue
            if case["place"]["command"] == ANY_SUBCOMMAND and subcommand in READS_CHECKPOINTS_ALONE:
                continue
            for option in case["options"]:
                name = spelled(option)
                if case["place"]["command"] == ANY_SUBCOMMAND and name in own_names:
                    continue  # the subcommand has another option of that name: draw --weights
                if option["left_out"]["command"]:
                    expect(name not in told, f"anemone {subcommand} has {name}, which the table leaves out")
                    continue
                known.add(name)
                expect(name in told, f"anemone {subcommand} has no {name}")
                line, text = told.get(name, ("", ""))
                expect(not option["letter"] or f"-{option['letter']},{name}" in line, f"{name} without its letter: {line}")
                wanted = option["texts"]["command"]
                expect(wanted in text, f"anemone {subcommand} --help says of {name}: {text}; the table: {wanted}")
                expect(wanted in manual, f"the manual does not say of {name}: {wanted}")
                default = option.get("default")
                if default and not option["is_required"] and option["kind"] in ("text", "word", "number"):
                    expect(f"={default}" in line, f"the default of {name}, {default}, is not in {line!r}")
                for word in option.get("words", []):
                    expect(word in line, f"the word {word} of {name} is not in {line!r}")
        strangers = set(told) - known
        expect(not strangers, f"anemone {subcommand} has {sorted(strangers)}, which no table has: see FILES_AND_FORMATS")


def ranges_alike(program):
    """-r takes one range in every subcommand that has it: the model may stand behind, and a second range has its own -r."""
    model = str(ROOT / "examples" / "reading" / "classifier.mil")
    for subcommand in ("check", "optimize"):
        for given, code in ((["-r", "image=0,1", model], 0), (["-r", "image=0,1", "-r", "image=0,2", model], 0),
                            ([model, "-r", "image=0,1", "image=0,1"], 2)):
            done = subprocess.run([program, subcommand, *given, "-t", "h13"], capture_output=True, text=True, check=False)
            expect(done.returncode == code, f"anemone {subcommand} {given} ends with {done.returncode}: {done.stderr}")


def in_c(cases):
    structures = _options.structures()
    for case in cases:
        name = case["place"]["c"]
        if not name:
            continue
        members = {member: comment for _, member, comment in structures[name]}
        lengths = {member for declared, member, _ in structures[name] if re.match(r"size_t \w+_count$", declared)}
        wanted = _options.of_c(case)
        for member, comment in wanted.items():
            expect(member in members, f"{name} has no member {member}")
            expect(members.get(member) == comment, f"{name}::{member}: {members.get(member)!r}, the table: {comment!r}")
        strangers = set(members) - set(wanted) - lengths
        expect(not strangers, f"{name} has {sorted(strangers)}, which no table has")


def in_python(cases):
    for case in cases:
        place = case["place"]["python"]
        expect(not place or place in _options.PARAMETERS, f"{place} is no method that _options.py knows")
    expect(_options.updated_model(cases) == MODEL.read_text(), "model.py has other options than the tables; --update writes them")
    expect(_options.updated_page(cases) == PAGE.read_text(), "docs/python.md has other options than the tables; --update")


def every_table_is_told(cases):
    """Each table of tools/app is among those that were printed, and has a row for each member of its structure."""
    written = 0
    for path in (ROOT / "tools" / "app").glob("*.hpp"):
        for name, members, rows in re.findall(TABLE, path.read_text(), re.DOTALL | re.MULTILINE):
            written += 1
            declared = re.findall(r"^    \S.*? (\w+)(?: = .*|\{.*\})?;", members, re.MULTILINE)
            expect(declared, f"{name} has no members")
            for member in declared:
                expect(rows.count(f"&{name}::{member},") == 1, f"{path.name}: {name}::{member} has no row")
    expect(written == len(cases), f"{written} tables in tools/app, {len(cases)} in tests/tools/write_options.cpp")


def front_ends_are_apart():
    """What a folder of tools includes of the others: app alone, which includes none."""
    for path in (ROOT / "tools").rglob("*.[hc]pp"):
        included = set(re.findall(r'^#include "\.\./(\w+)/', path.read_text(), re.MULTILINE))
        allowed = set() if path.parent.name == "app" else {"app"}
        expect(included <= allowed, f"{path.relative_to(ROOT)} includes {sorted(included - allowed)}")


def update(cases):
    HEADER.write_text(_options.updated_header(cases))
    MODEL.write_text(_options.updated_model(cases))
    PAGE.write_text(_options.updated_page(cases))
    if shutil.which("clang-format"):
        subprocess.run(["clang-format", "-i", HEADER], check=True)
    else:
        print("without clang-format: ./run format aligns the comments of anemone.h")


def main():
    cases = _options.tables()
    if "--update" in sys.argv:
        update(cases)
    every_table_is_told(cases)
    front_ends_are_apart()
    in_the_command(command(), cases)
    ranges_alike(command())
    in_c(cases)
    in_python(cases)
    return verdict(f"{sum(len(case['options']) for case in cases)} options of {len(cases)} use cases")


if __name__ == "__main__":
    sys.exit(main())
