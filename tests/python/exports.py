"""The C interface exports what its header declares, and nothing else; the Python module its one entry.

Ends with 77 where neither was built, or there is no nm."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", ROOT / "build" / "gcc"))


def declared_in(header):
    """The functions of a header in C."""
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    return set(re.findall(r"^[\w ]+[ *]+(anemone_\w+)\(", code, re.MULTILINE))


def exported_by(library):
    rows = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {row.split()[-1] for row in rows.splitlines()}


def main():
    example = "int anemone_a(void);\n/* int anemone_b(void); */\nconst char* anemone_c(int x,\n    int y);\nvoid f(anemone_d* x);\n"
    assert declared_in(example) == {"anemone_a", "anemone_c"}, declared_in(example)
    library = BUILD / "lib" / "libanemone_c.so"
    modules = list((BUILD / "python" / "anemone").glob("_native.*.so"))
    if shutil.which("nm") is None or not (library.exists() or modules):
        print("no nm, or nothing was built that exports")
        return 77
    failures = 0
    if library.exists():
        declared = declared_in((ROOT / "include" / "anemone" / "c" / "anemone.h").read_text())
        exported = exported_by(library)
        for name in sorted(declared ^ exported):
            failures += 1
            print(f"{name}: " + ("is declared and not exported" if name in declared else "is exported and not declared"))
        print(f"{len(declared)} functions are declared, {len(exported)} names exported")
    for module in modules:
        others = {name for name in exported_by(module) if not name.startswith("PyInit_")}
        failures += len(others)
        print(f"{module.name}: exports {len(others)} other names" + "".join(f"\n  {name}" for name in sorted(others)[:10]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
