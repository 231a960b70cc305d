#!/usr/bin/env python3
"""Programs that must not compile, and their twins that must.

Every .cpp here is one mistake: compiled as it is, it must fail with the words of its `// expect:` lines (`expect-gcc:`
and `expect-clang:` for one compiler) and without those of its `// forbid:` lines; compiled with -DOK it must pass
without a word. With --update-docs the messages of both compilers become a page of the documentation.

The first screen is judged too: a line of the user's that has to do with the mistake stands within the first 3 lines, the
expected words within 15, and the first error takes no more than 40, which is what -Wfatal-errors leaves. Nothing is
told twice: behind the first error stands only the compiler's echo, that the function is no constant (one error of
clang's; one of g++'s, or two where the function is a generic lambda). The user's lines are those between #else and #endif and those marked `// here`; where a constant is the error (`design_rule`,
`refused_model`), the line that defines or asserts it, and the number of the other among the expected words. One
exception is general: before an error in a generic lambda g++ prints its instantiation in three lines, each a place in
the user's file, so the mistake stands in the fourth; `[](ane::builder& g)` has none of them. Others are listed in the
case with their reason: `// except-gcc: words 20: why`; the page of messages repeats them, and the last line of a run
counts them. Tables of many mistakes (no #else) are only held to the words.

Loading the library's headers, compiled once, takes most of the time of a case: so several mistakes stand in one file, each in
a namespace of its own, and the compilers' messages are told apart by a remark between them. A case that is not right there
is judged again by itself; with --alone every case is.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLAGS = ["-std=c++20", "-Iinclude", "-fsyntax-only", "-fno-diagnostics-color", "-Wall", "-Wextra",
         "-Wno-unused-const-variable"]
MESSAGE_LINES = 24
FIRST_SCREEN = {"place": 3, "words": 15, "lines": 40, "errors": 2}
LINE_LENGTH = 420
TOGETHER = 20  # mistakes in a file
TWIN_FILES = 4
NEXT = "the next mistake"  # what compilers remark between two of them


class Case:
    def __init__(self, path):
        self.path = path
        self.source = path.read_text()
        self.title = ""
        self.expect = {"": [], "gcc": [], "clang": []}
        self.forbid = []
        self.limits = {"gcc": dict(FIRST_SCREEN), "clang": dict(FIRST_SCREEN)}
        self.exceptions = []
        if "[](auto& g)" in self.source:
            self.limits["gcc"]["place"] += 1
            self.limits["gcc"]["errors"] += 1
        for line in self.source.splitlines():
            if not line.startswith("// "):
                break
            match = re.match(r"// (expect|expect-gcc|expect-clang|forbid): (.*)", line)
            exception = re.match(r"// except-(gcc|clang): (place|words|lines|errors) (\d+): (.+)", line)
            if exception:
                self.exceptions.append((exception[1], exception[2], exception[4]))
                self.limits[exception[1]][exception[2]] = int(exception[3])
            elif match is None:
                self.title += (" " if self.title else "") + line[3:]
            elif match[1] == "forbid":
                self.forbid.append(match[2])
            else:
                self.expect[match[1][7:]].append(match[2])

    def wanted(self, family):
        return self.expect[""] + self.expect[family]

    def places(self):
        """The numbers of the user's lines that a message should begin with."""
        lines = self.source.splitlines()
        marked, part = set(), ""
        if any(word.startswith(("design_rule<", "refused_model<")) for word in self.expect[""]):
            constant = re.compile(r"static_assert\(|(inline )?constexpr auto ")
            marked = {i for i, line in enumerate(lines, 1) if constant.match(line)}
        for i, line in enumerate(lines, 1):
            directive = re.match(r"#(ifdef OK|else|endif)", line)
            part = directive[1] if directive else part
            if line.endswith("// here") or (part == "else" and not directive):
                marked.add(i)
        return marked


def family_of(compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    return ("clang" if "clang" in version else "gcc"), version.splitlines()[0]


def precompile(compiler, family, folder):
    """The flags that put the library's headers, compiled once, before every case: they are most of its time."""
    header = pathlib.Path(folder) / f"{family}.hpp"
    header.write_text("#include <anemone/model.hpp>\n")
    made = header.with_suffix(".hpp.gch" if family == "gcc" else ".pch")
    flags = [f for f in FLAGS if f != "-fsyntax-only"]
    subprocess.run([compiler, *flags, "-x", "c++-header", str(header), "-o", str(made)], check=True, cwd=ROOT)
    return ["-include", str(header)] if family == "gcc" else ["-include-pch", str(made)]


def compile_case(compiler, case, *flags):
    command = [compiler, *FLAGS, *flags, str(case.path.relative_to(ROOT))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


def flat(text):
    """One space wherever there is white space: where a compiler breaks its lines is its own affair. Texts that clang
    before 16 spells in characters are joined, so that the words of a case hold for later ones too."""
    return re.sub(r"'(.)'(?:, '(.)')*", lambda spelled: spelled[0][1::5], re.sub(r"\s+", " ", text))


def judge_first_screen(case, family, output):
    """What a message shows too late or too long, as a list of sentences."""
    lines = output.splitlines()
    limits = case.limits[family]
    wrong = []
    place = re.compile(r"\S*" + re.escape(case.path.name) + r":(\d+):")
    told = [i for i, line in enumerate(lines, 1) for at in [place.match(line)] if at and int(at[1]) in case.places()]
    if not told or told[0] > limits["place"]:
        wrong.append(f"the user's line stands in line {told[0] if told else 'none'} of:\n{output}")
    first = flat("\n".join(lines[:limits["words"]]))
    for words in case.wanted(family):
        if flat(words) not in first:
            wrong.append(f"'{words}' stands behind line {limits['words']} of:\n{output}")
    errors = [i for i, line in enumerate(lines, 1) if re.search(r"\berror: ", line)]
    length = (errors[1] - 1) if len(errors) > 1 else len(lines)
    if length > limits["lines"]:
        wrong.append(f"the first error takes {length} lines:\n{output}")
    if len(errors) > limits["errors"]:
        wrong.append(f"one mistake makes {len(errors)} errors:\n{output}")
    return wrong


def judge(case, family, output):
    """What is wrong with the message of a mistake, as a list of sentences."""
    wrong = []
    if not case.wanted(family):
        wrong.append("it says nothing of what to expect")
    for words in case.wanted(family):
        if flat(words) not in flat(output):
            wrong.append(f"'{words}' is missing in:\n{output}")
    for words in case.forbid:
        if flat(words) in flat(output):
            wrong.append(f"'{words}' is forbidden and occurs in:\n{output}")
    if not wrong and mistake(case.source) is not None:
        wrong = judge_first_screen(case, family, output)
    return wrong


def check(compiler, family, before, case):
    """What is wrong with a case that is compiled by itself, as a list of sentences, and the message of the failure."""
    # A table of many mistakes has more of them than clang tells of by itself.
    unlimited = ["-ferror-limit=0"] if family == "clang" and mistake(case.source) is None else []
    code, output = compile_case(compiler, case, *before, *unlimited)
    return (["it compiles"] if code == 0 else []) + judge(case, family, output), output


def together(case):
    """The source of a case in a namespace of its own, without what stands once in front of all of them."""
    text = re.sub(r"^(#include .*|int main\(\) \{\})$", "", case.source, flags=re.M)
    return f'namespace case_{case.path.stem} {{\n#line 1 "{case.path.relative_to(ROOT)}"\n{text}\n}}\n'


def compile_together(compiler, cases, kind, between, folder, *flags):
    """The exit code and the messages of cases in one file, with a line between any two."""
    includes = sorted({line for case in cases for line in case.source.splitlines() if line.startswith("#include")})
    source = pathlib.Path(folder) / f"{pathlib.Path(compiler).name}_{kind}_with_{cases[0].path.stem}.txt"
    source.write_text("\n".join([*includes, between.join(map(together, cases))]) + "\n")
    command = [compiler, *FLAGS, *flags, f"-I{HERE.relative_to(ROOT)}", "-x", "c++", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


def check_together(compiler, family, before, cases, folder):
    """The same as `check` for many cases in one file: by itself where a case is not right there, or where a message tells of
    two cases, or stands behind another one: what compilers put off to the end of the file."""
    unlimited = [] if family == "gcc" else ["-ferror-limit=0"]
    _, output = compile_together(compiler, cases, "mistakes", f'#pragma message("{NEXT}")\n', folder, *before, *unlimited)
    remark = r".*\b(?:note|warning): .*" + NEXT + r".*\n(?:.*\^[~]*\n|.*\|.*\n|#pragma .*\n| *\^.*\n)*"
    parts = re.split(remark, output)
    results = {}
    for i, case in enumerate(cases):
        others = [other for other in cases if other is not case]
        part = parts[i] if len(parts) == len(cases) else ""
        alone = (not re.search(r"\berror: ", part) or any(other.path.name in part for other in others)
                 or any(case.path.name in elsewhere for elsewhere in parts[:i] + parts[i + 1:]) or judge(case, family, part))
        results[case.path.name] = check(compiler, family, before, case) if alone else ([], part)
    return results


def check_twins(compiler, before, cases, folder):
    """What is wrong with the twins that must compile: many in one file, one by one where that file does not."""
    returned, said = compile_together(compiler, cases, "twins", "", folder, *before, "-DOK")
    if returned == 0 and not said.strip():
        return {}
    wrong = {}
    for case in cases:
        code, output = compile_case(compiler, case, *before, "-DOK")
        if code != 0 or output.strip():
            wrong[case.path.name] = "the twin that must compile does not:\n" + output
    return wrong or {cases[0].path.name: "its twin compiles alone, but not beside others:\n" + said}


def first_error(output, words):
    """The lines of the first error and its notes; all of them where the words are those of several mistakes."""
    lines = output.splitlines()
    errors = [i for i, line in enumerate(lines) if re.search(r"\berror: ", line)]
    if len(errors) < 2 or not all(flat(word) in flat("\n".join(lines[:errors[1]])) for word in words):
        return lines
    last = errors[1]
    while last > errors[0] and re.search(r": In |required (from|by)|^In file|^ +from|in ‘constexpr’", lines[last - 1]):
        last -= 1
    return lines[:last]


def trimmed(output, words, path):
    """The lines of a message that have its errors, the expected words, or a place in the user's file."""
    lines = [line for line in first_error(output.replace(str(ROOT) + "/", ""), words)
             if not re.match(r"(In file included|\s+from |\d+ errors? generated)", line)]
    place = re.compile(r"\S*" + re.escape(path.name) + r":\d+:")
    keep = set()
    for i, line in enumerate(lines):
        if "error:" in line or place.match(line):
            keep.add(i)
            # The source line and its caret follow.
            for j in (i + 1, i + 2):
                if j < len(lines) and re.match(r"\S+:\d+:", lines[j]) is None:
                    keep.add(j)
                else:
                    break
        elif any(word in line for word in words):
            keep.add(i)
    out = []
    for i, line in enumerate(lines):
        if i in keep and len(out) < MESSAGE_LINES:
            out.append(line if len(line) <= LINE_LENGTH else line[:LINE_LENGTH] + " ...")
        elif out and out[-1] != "...":
            out.append("...")
    return "\n".join(out)


def mistake(source):
    """The lines between #else and #endif, and those that compile; None for a table of many mistakes."""
    match = re.search(r"^#ifdef OK\n(.*?)^#else\n(.*?)^#endif\n", source, re.S | re.M)

    def dedent(text):
        lines = [line for line in text.rstrip().splitlines() if "(void)" not in line]
        return "\n".join(line[4:] if line.startswith("    ") else line for line in lines)

    return match and (dedent(match[2]), dedent(match[1]))


def write_page(path, cases, messages, versions):
    out = ["# Troubleshooting: what the compilers say", "",
           "This page is generated by `tests/compile_fail/run.py --update-docs`; the tests check its messages.",
           "They are shortened, not rewritten, and come from:", ""]
    out += [f"- {version}" for version in versions.values()]
    out += ["", "The first error of each message says it all; `-fmax-errors=1` (g++) and `-Wfatal-errors` (clang++) print only that.",
            "[Reading the message](checks.md#reading-the-message) explains the types: `shape_fault` for operands,",
            "`refused_model` for what a builder refuses, `port_fault` for the values of a run, `design_rule` for a target.",
            "The run-time report (`ane::report(model, target).print()`) says the same in a sentence, with advice.", "",
            "Where clang says \"maximum step limit\", or g++ that a count exceeds a limit, no mistake was found: the constant takes",
            "the compiler too long, [the limits and the ways around them](compile_time.md#where-the-compilers-own-limits-are).", "",
            "One mistake has no message: `gather<axis{0}>(ids, table)` with its operands exchanged. Both are tensors of fp16, and",
            "extents of any number are indices and tables alike, so it reads the ids at the places that the table names. The",
            "result has the extents of the table and not those of `ids`: the next layer refuses it, or the output shows it.", "",
            "The tests require each message to fit its first screen: your line within the first 3 lines (4 with g++ and a generic",
            "lambda), rule, numbers and operation within 15, the first error within 40, one more error at most (g++ and a",
            "generic lambda: two). Exceptions:", ""]
    reasons = {}
    for case in cases:
        for _, what, why in case.exceptions:
            reasons.setdefault((what, why), {})[case.title.rstrip(".")] = None
    out += [f"- {what}: {why}: {'; '.join(titles)}" for (what, why), titles in reasons.items()] + [""]
    for case in cases:
        if mistake(case.source) is None: # a rule at each of its limits: docs/rules has a page for each
            continue
        bad, good = mistake(case.source)
        out += [f"## {case.title.rstrip('.')}", "", "```cpp", bad, "```", ""]
        for family in ("gcc", "clang"):
            name = "g++" if family == "gcc" else "clang++"
            out += [f"{name}:", "", "```text", messages[family][case.path.name], "```", ""]
        out += ["What compiles:", "", "```cpp", good, "```", ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", help="a compiler to check with; may be given twice")
    parser.add_argument("--flag", action="append", default=[], help="one more flag of the compilers: --flag=-stdlib=libc++")
    parser.add_argument("--alone", action="store_true", help="compile each mistake by itself")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth case: a compiler that another run gives all")
    parser.add_argument("--update-docs", type=pathlib.Path, metavar="PAGE",
                        help="write the page of messages; needs both compilers")
    parser.add_argument("cases", nargs="*", help="names of cases; all by default")
    options = parser.parse_args()
    FLAGS.extend(options.flag)

    compilers = {}
    versions = {}
    for compiler in options.compiler or ["g++"]:
        family, version = family_of(compiler)
        compilers[family], versions[family] = compiler, version
    if options.update_docs:
        for family, name in (("gcc", "g++"), ("clang", "clang++")):
            if family not in compilers:
                if shutil.which(name) is None:
                    sys.exit(f"--update-docs needs {name} too")
                compilers[family], versions[family] = name, family_of(name)[1]

    cases = [Case(path) for path in sorted(HERE.glob("*.cpp")) if not options.cases or path.stem in options.cases][::options.every]
    failures = 0
    messages = {family: {} for family in compilers}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for family, compiler in compilers.items():
            before = precompile(compiler, family, folder)
            groups = [cases[i::TWIN_FILES] for i in range(TWIN_FILES) if cases[i::TWIN_FILES]]
            twins = [pool.submit(check_twins, compiler, before, group, folder) for group in groups]
            if options.alone or options.update_docs:
                results = pool.map(lambda case: check(compiler, family, before, case), cases)
            else:
                files = [cases[i:i + TOGETHER] for i in range(0, len(cases), TOGETHER)]
                found = pool.map(lambda some: check_together(compiler, family, before, some, folder), files)
                results = [result for some in found for result in some.values()]
            broken_twins = {name: text for group in twins for name, text in group.result().items()}
            for case, (wrong, output) in zip(cases, results):
                if case.path.name in broken_twins:
                    wrong = [broken_twins[case.path.name], *wrong]
                failures += bool(wrong)
                for sentence in wrong:
                    print(f"{case.path.name} with {compiler}: {sentence}")
                messages[family][case.path.name] = trimmed(output, case.wanted(family), case.path)
    exceptions = sum(family in compilers for case in cases for family, _, _ in case.exceptions)
    print(f"{len(cases)} cases, {len(compilers)} compilers, {exceptions} exceptions, {failures} failures")
    if options.update_docs and not failures:
        write_page(options.update_docs, cases, messages, versions)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
