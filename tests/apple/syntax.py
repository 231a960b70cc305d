"""What is compiled on macOS alone, and the files around it, by a compiler that makes code for macOS on Arm.

Apple's headers are not here. Those of Linux stand in for them, behind a few (stubs/) that say what macOS says
differently. Nothing is linked and nothing runs.

    syntax.py                 the files of the library that ask the system for something; and again with a mistake in
                              each branch that macOS takes, of which the compiler must complain
    syntax.py --everything    all files of the library, the stand-ins and the tests with branches of their own too
    syntax.py --sdk <folder>  against the headers of macOS in these folders instead of the stubs
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77

PLATFORM = r"__(?:APPLE|linux|x86_64|aarch64)__"
TRUE = {"__APPLE__", "__aarch64__"}
ASKS = re.compile(rf"^\s*#\s*(?:include\s*<(?:(?:unistd|fcntl|dlfcn|ftw)\.h|sys/\w+\.h)>|(?:el)?if.*{PLATFORM})", re.M)


def branches(text):
    """The lines, from 1, behind which something begins that is compiled or not because this is macOS on Arm."""
    found, open_conditions = [], []  # of each: whether it holds, None if it is about something else
    for number, line in enumerate(text.splitlines(), 1):
        directive = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", line)
        if not directive:
            continue
        word, condition = directive.groups()
        asked = re.fullmatch(rf"\s*(!?)\s*(?:defined)?[ (]*({PLATFORM})[ )]*(?://.*)?", condition)
        if re.search(PLATFORM, condition) and not asked:
            raise ValueError(f"line {number}: this test judges only conditions of one platform")
        holds = (asked[2] in TRUE) == ((asked[1] == "!") == (word == "ifndef")) if asked else None
        if word.startswith("if"):
            open_conditions.append(holds)
            taken = holds
        elif word == "elif":  # what came before it, and it itself, must be about platforms
            taken = open_conditions[-1] is False and holds
            if open_conditions[-1] is not True:
                open_conditions[-1] = None if open_conditions[-1] is None else holds
        else:
            taken = word == "else" and open_conditions[-1] is False
        if taken:
            found.append(number)
        if word == "endif":
            open_conditions.pop()
    return found


def broken(text):
    """The same with a mistake at the beginning of each branch, and the lines of the mistakes."""
    lines, mistakes = [], []
    places = branches(text)
    for number, line in enumerate(text.splitlines(), 1):
        lines.append(line)
        if number in places:
            lines.append(f'[[maybe_unused]] const int broken_{number} = "no number";')
            mistakes.append(len(lines))
    return "\n".join(lines) + "\n", mistakes


def judge_itself():
    other = "#if X\n#ifdef __APPLE__\na\n#endif\n#else\nb\n#endif\n"
    for text, lines in [("#if defined(__APPLE__)\na\n#else\nb\n#endif\n", [1]),
                        ("#if !defined(__APPLE__)\na\n#else // b\nb\n#endif\n", [3]),
                        ("#ifndef __linux__\na\n#else\nb\n#endif\n", [1]), (other, [2])]:
        assert branches(text) == lines, (text, branches(text))
    assert broken("#ifdef __APPLE__\na\n#endif\n")[1] == [2]


class Compiler:
    def __init__(self, program, version, sdk):
        self.command = [program, "-target", "arm64-apple-macos15", "-std=c++20", "-fsyntax-only", "-ferror-limit=0",
                        "-nostdinc++", "-nostdlibinc", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
                        "-DFMT_HEADER_ONLY"]
        libcxx = f"/usr/lib/llvm-{version}/include/c++/v1"
        if sdk:
            folders = [libcxx, *sdk]
        else:
            # clang for macOS knows __nonnull, a macro of Linux; the macros of <ctype.h> look into Linux's locale_t.
            self.command += ["-U__nonnull", "-D__NO_CTYPE", "-D_DEFAULT_SOURCE", "-D_XOPEN_SOURCE=700"]
            self.command += ["-include", str(HERE / "absent.hpp")]
            inner = sorted(pathlib.Path("/usr/include").glob("*-linux-gnu"))
            folders = [HERE / "stubs", libcxx, *inner]
        for folder in folders:
            self.command += ["-isystem", str(folder)]
        self.command += ["-idirafter", "/usr/include"]

    def run(self, source, include=ROOT / "include", compiled=True):
        options = [f"-I{include}", f"-I{ROOT / 'tests'}", *(["-DANEMONE_COMPILED"] if compiled else [])]
        options += [f'-DANEMONE_{name}=""' for name in ("SOURCE_DIR", "STANDIN_PATH", "OBJC_STANDIN_PATH", "TEST_DATA")]
        return subprocess.run([*self.command, *options, str(source)], capture_output=True, text=True, check=False)


def compiles(compiler, label, source, **options):
    done = compiler.run(source, **options)
    print(f"{label}: {'compiles' if done.returncode == 0 else 'FAILED'}", flush=True)
    if done.returncode != 0:
        print(done.stderr)
    return done.returncode == 0


def one_source(folder, name, files):
    source = folder / name
    source.write_text("".join(f"#include <{file}>\n" for file in files))
    return source


def finds_mistakes(compiler, folder, files):
    """The compiler complains of a mistake in each branch that macOS takes: none of them is left out."""
    copy = folder / "broken"
    shutil.copytree(ROOT / "include", copy)
    files = [file for file in files if branches((copy / file).read_text())]
    wanted = set()
    for file in files:
        text, mistakes = broken((copy / file).read_text())
        (copy / file).write_text(text)
        wanted.update((file, line) for line in mistakes)
    done = compiler.run(one_source(folder, "broken.cpp", files), include=copy)
    said = re.findall(r"^(/\S+):(\d+):\d+: error:", done.stderr, re.M)
    found = {(pathlib.Path(path).resolve().relative_to(copy.resolve()).as_posix(), int(line)) for path, line in said
             if pathlib.Path(path).resolve().is_relative_to(copy.resolve())}
    print(f"{len(wanted)} mistakes in branches for macOS, {len(wanted & found)} of them found", flush=True)
    for file, line in sorted(wanted - found):
        print(f"{file}:{line}: compiled for macOS, and a mistake there is not seen")
    return bool(wanted) and wanted <= found and done.returncode != 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--everything", action="store_true")
    arguments.add_argument("--sdk", nargs="+", metavar="folder")
    arguments.add_argument("--clang", type=int, default=16, metavar="version")
    given = arguments.parse_args()
    judge_itself()
    program = shutil.which(f"clang++-{given.clang}")
    if not program or not pathlib.Path(f"/usr/lib/llvm-{given.clang}/include/c++/v1/version").exists():
        print(f"no clang {given.clang} with libc++ (Debian: clang-{given.clang} libc++-{given.clang}-dev)")
        return SKIPPED
    compiler = Compiler(program, given.clang, given.sdk)
    library = sorted(path.relative_to(ROOT / "include").as_posix() for kind in ("hpp", "ipp")
                     for path in (ROOT / "include").rglob(f"*.{kind}"))
    asking = [file for file in library if ASKS.search((ROOT / "include" / file).read_text())]
    assert asking
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        good = compiles(compiler, f"{len(asking)} files that ask the system", one_source(folder, "asking.cpp", asking))
        good = finds_mistakes(compiler, folder, asking) and good
        if given.everything:
            bodies = [file for file in library if file.endswith(".ipp")]
            good = compiles(compiler, "all bodies", one_source(folder, "bodies.cpp", bodies)) and good
            whole = one_source(folder, "header_only.cpp", ["anemone/anemone.hpp"])
            good = compiles(compiler, "header-only", whole, compiled=False) and good
            for test in sorted((ROOT / "tests").rglob("*.cpp")):
                if re.search(PLATFORM, test.read_text()):
                    good = compiles(compiler, test.relative_to(ROOT), test) and good
            for standin in ("standin/e5rt.cpp", "standin_objc/standin_objc.cpp"):
                good = compiles(compiler, standin, ROOT / "tests" / standin, compiled=False) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
