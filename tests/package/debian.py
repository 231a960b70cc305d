"""The Debian packages of a build: what they say and hold, and that program, library and module work from where the packages put
them, unpacked into a folder.

Ends with 77 where there is no dpkg-deb, or nothing that goes into packages was built."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", ROOT / "build" / "gcc"))
MODEL = ROOT / "examples" / "reading" / "classifier.mil"

failures = 0


def expect(truth, what):
    global failures
    if not truth:
        failures += 1
        print(f"FAILED: {what}")


def output_of(*command, **how):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, **how)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fields_of(package):
    text = re.sub(r"\n\s+", " ", output_of("dpkg-deb", "--field", package))
    return dict(line.split(": ", 1) for line in text.splitlines())


def files_of(package):
    """Path, mode and owner of everything but folders."""
    rows = [line.split(None, 5) for line in output_of("dpkg-deb", "--contents", package).splitlines()]
    return {row[5].split(" -> ")[0]: (row[0], row[1]) for row in rows if not row[0].startswith("d")}


def says_what_it_needs(name, package):
    fields = fields_of(package)
    files = files_of(package)
    version = (ROOT / "CMakeLists.txt").read_text().split("VERSION ", 2)[2].split()[0]
    expect(fields["Package"] == name and fields["Version"] == version, fields)
    expect("Description" in fields and "@" in fields["Maintainer"], fields)
    expect(f"./usr/share/doc/{name}/copyright" in files, f"{name} has no copyright")
    for path, (mode, owner) in files.items():
        expect(path.startswith("./usr/") and not path.startswith("./usr/local"), f"{name}: {path}")
        expect(owner == "root/root", f"{name}: {path} belongs to {owner}")
        expect(mode.startswith("l") or (mode[7:9] == "r-" and mode[5] == "-"), f"{name}: {path} is {mode}")
    for line in output_of("dpkg-deb", "--field", package, "Description").splitlines():
        expect(len(line) <= 80, f"{name}: a line of {len(line)} characters: {line}")
    if name != "libanemone-dev":
        expect("libstdc++6" in fields["Depends"] and "libc6" in fields["Depends"], fields["Depends"])
        expect(not any(path.endswith((".hpp", ".h", ".a")) for path in files), f"{name} has files of developers")
    return fields, files


def works(root):
    usr = root / "usr"
    program = usr / "bin" / "anemone"
    if program.exists():
        done = subprocess.run([program, "check", MODEL, "--targets", "h13", "--quiet"], capture_output=True, text=True)
        expect(done.returncode == 0 and "accepted" in done.stdout, done)
    module = usr / "lib" / "python3" / "dist-packages"
    if module.exists():
        text = f"import anemone; print(anemone.__file__, anemone.check({str(MODEL)!r}).accepted)"
        answer = output_of("/usr/bin/python3", "-B", "-c", text, env={**os.environ, "PYTHONPATH": str(module)})
        expect(answer.startswith(str(module)) and answer.endswith("True\n"), answer)
    libraries = list(usr.rglob("libanemone_c.so"))
    if libraries:  # headers, CMake package and library, as a project in C finds them
        expect(libraries[0].resolve().exists(), "libanemone_c.so leads nowhere")
        output_of("cmake", "-S", ROOT / "tests/package/c", "-B", root / "build", f"-DCMAKE_PREFIX_PATH={usr}", f"-DANEMONE_DIR={ROOT}")
        output_of("cmake", "--build", root / "build")
        output_of("ctest", "--test-dir", root / "build")


def main():
    if shutil.which("dpkg-deb") is None or shutil.which("dpkg-shlibdeps") is None:
        print("no dpkg-deb or no dpkg-shlibdeps")
        return 77
    configuration = BUILD / "CPackConfig.cmake"
    programs = [BUILD / "bin" / "anemone", BUILD / "tools" / "anemone"]  # with tests, and without
    if not configuration.exists() or not any(each.is_file() for each in programs):
        print("nothing that goes into packages was built")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        output_of("cpack", "-G", "DEB", "--config", configuration, "-B", folder / "made", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
        packages = {path.name.split("_")[0]: path for path in (folder / "made").glob("*.deb")}
        expect({"anemone", "libanemone-dev"} <= set(packages), packages)
        root = folder / "root"
        (folder / "control").mkdir()
        owners = {}
        for package, path in packages.items():
            output_of("dpkg-deb", "--control", path, folder / "control" / package)
            _, files = says_what_it_needs(package, path)
            for each in files:
                expect(each not in owners, f"{each} is in {owners.get(each)} and in {package}")
                owners[each] = package
            output_of("dpkg-deb", "--extract", path, root)
        expect(owners.get("./usr/bin/anemone") == "anemone", "the program")
        expect(owners.get("./usr/include/anemone/anemone.hpp") == "libanemone-dev", "the headers")
        expect(owners.get("./usr/share/cmake/anemone/anemoneConfig.cmake") == "libanemone-dev", "the CMake package")
        for package in packages:  # a library says what depends on it, and renews the loader's cache
            control = folder / "control" / package
            shared = package.startswith("libanemone-c")
            expect((control / "triggers").exists() == shared and (control / "shlibs").exists() == shared, f"{package}: control files")
        works(root)
        print(f"{', '.join(sorted(packages))}; {len(owners)} files, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
