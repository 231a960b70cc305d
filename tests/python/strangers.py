"""Files from strangers: nothing that is read is written over, nothing outside the model's folder is read, a folder sets no
options, and a program that is ended leaves nothing half-way. By the command, and where they have it by Python."""

import ctypes
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from _harness import PATIENCE, ROOT, command, expect, run, verdict

CLASSIFIER = ROOT / "examples" / "reading" / "classifier.mil"
SECRET = "root:x:0:0:a line of another file:/root:/bin/sh\n" * 40


def everything(folder):
    """Each file below a folder with its bytes; links as what they name."""
    found = {}
    for each in sorted(pathlib.Path(folder).rglob("*")):
        key = str(each.relative_to(folder))
        found[key] = os.readlink(each) if each.is_symlink() else each.read_bytes() if each.is_file() else None
    return found


def refused(what, done, words):
    expect(done.returncode == 2, f"{what}: exit code {done.returncode}, {done.stdout[:200]!r} {done.stderr[:300]!r}")
    expect(words in done.stderr, f"{what}: {words!r} is not in {done.stderr[:300]!r}")


def fine(what, done):
    expect(done.returncode == 0, f"{what}: {done}")


def write_model(folder, rows, columns, values):
    """MIL text of one matrix, which stands in a blob."""
    folder.mkdir()
    (folder / "model.mil").write_text(
        f"program(1.3)\n{{\n func main<ios18>(tensor<fp16, [1, {columns}]> x) {{\n"
        f' tensor<fp16, [{rows}, {columns}]> w = const()[name = string("w"), val = tensor<fp16, [{rows}, {columns}]>('
        f'BLOBFILE(path = string("@model_path/w.bin"), offset = uint64(64)))];\n'
        f' tensor<fp16, [1, {rows}]> y = linear(x = x, weight = w)[name = string("y")];\n }} -> (y);\n}}\n')
    header = (1).to_bytes(4, "little") + (2).to_bytes(4, "little") + bytes(56)
    entry = 0xDEADBEEF.to_bytes(4, "little") + (1).to_bytes(4, "little") + len(values).to_bytes(8, "little") + (128).to_bytes(8, "little")
    (folder / "w.bin").write_bytes(header + entry + bytes(64 - len(entry)) + values)


def models(program, folder):
    """The same model in every format."""
    values = b"".join(struct.pack("<e", 0.01 * ((i * 7919) % 101 - 50)) for i in range(8 * 64))
    write_model(folder / "first", 8, 64, values)
    fine("mil", run(program, ["convert", "first", "--to", "mil", "-o", "mil"], folder))
    shutil.rmtree(folder / "first")
    fine("netplist", run(program, ["convert", "mil", "--to", "netplist", "-o", "netplist"], folder))
    fine("package", run(program, ["convert", "mil", "--to", "mlpackage", "-o", "p.mlpackage"], folder))


def weights_of(folder, kind):
    """The file with the weights of a model, and a function that makes its text name another path; None where it cannot."""
    if kind == "mil":
        def renamed(path):
            text = folder / "mil/model.mil"
            text.write_text(text.read_text().replace("@model_path/weights.bin", path))
        return folder / "mil/weights.bin", renamed
    if kind == "netplist":
        return folder / "netplist/weights.1", None  # weights.0 is there for readers that want one
    return folder / "p.mlpackage/Data/com.apple.CoreML/weights/weight.bin", None


# ---- nothing outside the folder is read ---------------------------------------------------------------------------------


def outside(program, folder):
    models(program, folder)
    secret = folder / "secret"
    for kind, given in (("mil", "mil"), ("mil", "mil/model.mil"), ("netplist", "netplist"), ("netplist", "netplist/net.plist"),
                        ("package", "p.mlpackage")):
        weights, renamed = weights_of(folder, kind)
        right = weights.read_bytes()
        secret.write_bytes(right)  # which could be read, if it were opened
        weights.unlink()
        for target in (str(secret), os.path.relpath(secret, weights.parent)):
            weights.symlink_to(target)
            for arguments in (["convert", given, "--to", "mil", "-o", "made"], ["convert", given, "--to", "cpp", "-o", "made.hpp"],
                              ["run", given]):
                refused(f"{arguments} with weights -> {target}", run(program, arguments, folder), "leads out of the model's folder")
            expect(not (folder / "made").exists() and not (folder / "made.hpp").exists(), f"{kind}: something was written")
            weights.unlink()
        weights.write_bytes(right)
        if renamed:
            text = (folder / "mil/model.mil").read_text()
            for path in ("../secret", "@model_path/../secret", str(secret)):
                renamed(path)
                refused(f"{given} with {path}", run(program, ["run", given], folder), "no path below the model's folder")
                (folder / "mil/model.mil").write_text(text)
        (folder / "link").symlink_to(folder / given.split("/")[0])  # the folder itself may be reached by a link
        fine(f"a link to {given}", run(program, ["run", "link" + given[len(given.split("/")[0]):]], folder))
        (folder / "link").unlink()
    # The text of a folder is not the user's choice; the text that is named is.
    secret.write_text(SECRET)
    for given, inside in (("mil", "model.mil"), ("netplist", "net.plist"), ("p.mlpackage", "Manifest.json")):
        text = folder / given / inside
        right = text.read_bytes()
        for content in (SECRET, None):
            if content is None:
                secret.write_bytes(right)
            text.unlink()
            text.symlink_to(secret)
            done = run(program, ["check", given], folder)
            expect(done.returncode != 0 and "root:x" not in done.stdout + done.stderr, f"{given} -> secret: {done}")
            text.unlink()
            text.write_bytes(right)
            secret.write_text(SECRET)
    for interface in (by_python, by_c):
        for given in ("netplist", "netplist/net.plist", "mil", "p.mlpackage"):
            weights, _ = weights_of(folder, {"p.mlpackage": "package"}.get(given, given.split("/")[0]))
            right = weights.read_bytes()
            secret.write_bytes(right)
            weights.unlink()
            weights.symlink_to(secret)
            said = interface(folder / given)
            expect(said is None or "leads out" in said, f"{interface.__name__}, {given}: {said!r}")
            weights.unlink()
            weights.write_bytes(right)
            said = interface(folder / given)
            expect(not said, f"{interface.__name__}, {given} as it was: {said!r}")


def by_python(path):
    """What the module says of a model; nothing where it takes it, None where it was not built."""
    try:
        from _module import anemone
    except (SystemExit, ImportError):
        return None
    try:
        anemone.Model(str(path))
        return ""
    except Exception as wrong:
        return str(wrong)


def by_c(path):
    """The same of the C interface."""
    library = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", "none")) / "lib" / "libanemone_c.so"
    if not library.exists():
        return None
    c = ctypes.CDLL(str(library))
    c.anemone_error.restype = ctypes.c_char_p
    c.anemone_model_free.argtypes = [ctypes.c_void_p]
    model = ctypes.c_void_p()
    status = c.anemone_open(str(path).encode(), None, ctypes.byref(model))
    said = c.anemone_error().decode() if status else ""
    c.anemone_model_free(model)
    return said


# ---- nothing that is read is written over -------------------------------------------------------------------------------


def overwriting(program, folder):
    models(program, folder)
    before = everything(folder)
    parts = {"mil": ["mil", "mil/model.mil"], "netplist": ["netplist", "netplist/net.plist"],
             "p.mlpackage": ["p.mlpackage", "p.mlpackage/Data/com.apple.CoreML/model.mlmodel"]}
    for home, names in parts.items():
        inside = [str(each.relative_to(folder)) for each in (folder / home).rglob("*") if each.is_file()]
        for given in names:
            for part in inside:
                hard = folder / "hard"
                os.link(folder / part, hard)
                (folder / "soft").symlink_to(part)
                for output in (part, "hard", f"./{home}/../{part}"):
                    for arguments in (["draw", given, "-o", output], ["check", given, "-o", output],
                                      ["run", given, "-o", output], ["optimize", given, "--svg", output],
                                      ["timeline", given, "--svg", output], ["compress", given, "--svg", output],
                                      ["convert", given, "--to", "cpp", "-o", output]):
                        done = run(program, arguments, folder)
                        refused(str(arguments), done, "is read, and would be written over")
                hard.unlink()
                (folder / "soft").unlink()
            for arguments in (["compress", given, "-o", home], ["optimize", given, "-o", home],
                              ["convert", given, "--to", "mil", "-o", home] if home == "mil" else
                              ["convert", given, "--to", "netplist" if home == "netplist" else "mlpackage", "-o", home]):
                if home == "mil" or arguments[0] == "convert" or given == home:
                    expect(run(program, arguments, folder).returncode == 2, f"{arguments} is not refused")
            expect(everything(folder) == before, f"{given}: something is lost or added")
    # A report on a file that cannot be read does not replace a part of it either.
    text = folder / "mil/model.mil"
    right = text.read_text()
    text.write_text(right.replace("linear(", "no_such_operation("))
    before = everything(folder)
    for part in ("mil/model.mil", "mil/weights.bin"):
        refused(f"a report over {part}", run(program, ["check", "mil/model.mil", "-o", part], folder), "written over")
    expect(everything(folder) == before, "a report replaced a part of the model")
    text.write_text(right)
    for arguments in (["draw", "mil", "-o", ""], ["convert", "mil", "--to", "mil", "-o", ""], ["check", "mil", "-o", ""],
                      ["optimize", "mil", "--svg", ""], ["run", "mil", "-o", ""], ["check", ""]):
        refused(str(arguments), run(program, arguments, folder), "path is empty")
    expect(everything(folder) == before | {"mil/model.mil": right.encode()}, "an empty path wrote something")


def packages(program, folder):
    """A package with files of the user."""
    models(program, folder)
    note = folder / "p.mlpackage/notes.txt"
    fine("replaced", run(program, ["convert", "mil", "--to", "mlpackage", "-o", "p.mlpackage"], folder))
    note.write_text("mine")
    before = everything(folder)
    for arguments in (["convert", "mil", "--to", "mlpackage"], ["optimize", "mil", "--to", "mlpackage"],
                      ["compress", "mil", "--to", "mlpackage"]):
        refused(str(arguments), run(program, [*arguments, "-o", "p.mlpackage"], folder), "notes.txt")
        expect(everything(folder) == before, f"{arguments}: the package has changed")
        fine(f"{arguments} --force", run(program, [*arguments, "-o", "p.mlpackage", "--force"], folder))
        expect(note.read_text() == "mine", "the user's file is lost")
        fine("still a package", run(program, ["check", "p.mlpackage"], folder))
        shutil.rmtree(folder / "p.mlpackage")
        fine("again", run(program, ["convert", "mil", "--to", "mlpackage", "-o", "p.mlpackage"], folder))
        note.write_text("mine")
    (folder / "kept").mkdir()
    (folder / "kept/notes.txt").write_text("mine")
    fine("a folder with other files", run(program, ["convert", "mil", "--to", "netplist", "-o", "kept"], folder))
    expect((folder / "kept/notes.txt").read_text() == "mine", "a file beside the output is lost")


def beside_a_manifest(program, folder):
    """A manifest in a folder above makes a package of its own parts alone: what else is there is nobody's input."""
    models(program, folder)
    (folder / "Manifest.json").write_text("{}")
    (folder / "mine.svg").write_text("mine")
    fine("a file beside the model's folder", run(program, ["draw", "mil", "-o", "mine.svg"], folder))
    expect((folder / "mine.svg").read_text() != "mine", "nothing was drawn")
    for part in ("Manifest.json", "Data/com.apple.CoreML/weights/weight.bin"):
        refused(part, run(program, ["draw", "p.mlpackage/Data/com.apple.CoreML/model.mlmodel", "-o", f"p.mlpackage/{part}"], folder),
                "is read")


def more_rights(program, folder):
    """A program with more rights than its caller loads no library that the environment names. Only the superuser can make one
    whose caller is somebody else; where set-user-ID is ignored (nosuid), nothing is to be seen."""
    if os.geteuid() != 0 or os.statvfs(folder).f_flag & os.ST_NOSUID or not sys.platform.startswith("linux"):
        return
    shutil.copy(CLASSIFIER, folder / "m.mil")
    shutil.copy(program, folder / "trusted")
    for mode, is_loaded in ((0o755, True), (0o4755, False)):
        os.chown(folder / "trusted", 65534, 65534)
        os.chmod(folder / "trusted", mode)
        os.chmod(folder, 0o755)  # the program reads the model as its owner
        done = subprocess.run([folder / "trusted", "run", "m.mil", "--backend", "engine:h13"], cwd=folder, capture_output=True,
                              text=True, env={**os.environ, "ANEMONE_E5RT": str(folder / "no_such_library.so")})
        expect(done.returncode == 2 and ("no_such_library" in done.stderr) == is_loaded, f"mode {mode:o}: {done}")


# ---- a folder sets no options -------------------------------------------------------------------------------------------


def options(program, folder):
    (folder / "victim").write_text("mine")
    shutil.copy(CLASSIFIER, folder / "m.mil")
    config = folder / "anemone.toml"
    usual = run(program, ["check", "m.mil", "-q"], folder)
    for section, setting in (("check", 'output = "victim"'), ("check", 'o = "victim"'), ("check", 'waive = ["R030"]'),
                             ("check", 'route = "mil"'), ("check", "max-memory = 1000000000000"), ("check", 'ranges = "image=0,0"'),
                             ("check", '--output = "victim"'), ("draw", 'output = "victim"'), ("optimize", 'svg = "victim"'),
                             ("run", 'backend = "engine:h13"'), ("compress", 'output = "victim"'), ("bench", 'svg = "victim"'),
                             ("train", 'csv = "victim"'), ("train", 'checkpoint = "victim"'), ("convert", 'weights = "victim"')):
        config.write_text(f"[{section}]\n{setting}\n")
        done = run(program, [section, "m.mil"], folder)
        expect(done.returncode == 2, f"{section} {setting}: {done.returncode} {done.stderr[:200]!r}")
        if "--" not in setting:
            expect("--config anemone.toml" in done.stderr, f"{section} {setting}: {done.stderr!r}")
        expect((folder / "victim").read_text() == "mine", f"{section} {setting}: the file is replaced")
        expect(run(program, ["targets"], folder).returncode == 0, f"{setting} is of another subcommand")
    config.write_text('[check]\ntargets = "h13"\n')
    done = run(program, ["check", "m.mil", "-q"], folder)
    expect("h14" not in done.stdout and done.stderr.count("anemone.toml") == 1 and "h13" in done.stderr, f"what is used: {done}")
    done = run(program, ["check", "m.mil", "-q", "--targets", "h14"], folder)
    expect("h13" not in done.stdout and done.stderr == "", f"what is not used: {done}")
    config.write_text('[check]\noutput = "report"\nwaive = ["R030"]\ntargets = "h13"\n')
    done = run(program, ["--config", "anemone.toml", "check", "m.mil", "-q"], folder)
    expect(done.returncode == 0 and (folder / "report").exists() and done.stderr == "", f"a named file: {done}")
    config.unlink()
    for name in ("pipe", "folder"):
        os.mkfifo(config) if name == "pipe" else config.mkdir()
        expect(run(program, ["targets"], folder).returncode in (0, 2), name)
        config.unlink() if name == "pipe" else config.rmdir()
    (folder / "args").write_text("--output\nvictim\n")
    (folder / "@args").write_text("--output\nvictim\n")
    for arguments in (["check", "@args", "m.mil"], ["check", "m.mil", "--", "@args"]):  # as a pattern of the shell has it
        run(program, arguments, folder)
        expect((folder / "victim").read_text() == "mine", f"{arguments}: a file became options")
    (folder / "@args").unlink()
    run(program, ["check", "m.mil", "--", "@args"], folder)
    expect((folder / "victim").read_text() == "mine", "an argument behind -- became options")
    (folder / "args").write_text("-q\n")
    expect(run(program, ["check", "m.mil", "@args"], folder).stdout == usual.stdout, "@args are no arguments")


# ---- what is said of a file ---------------------------------------------------------------------------------------------


def reports(program, folder):
    """Whatever a reader cannot make anything of is exit code 1, in the format that was asked for."""
    models(program, folder)
    text = (folder / "mil/model.mil").read_bytes()
    plist = (folder / "netplist/net.plist").read_bytes()
    message = (folder / "p.mlpackage/Data/com.apple.CoreML/model.mlmodel").read_bytes()
    files = {"cut.mil": text[:200], "empty.mil": b"", "cut.plist": plist[:len(plist) // 2], "binary.plist": b"bplist00" + b"\xff" * 64,
             "array.plist": b'<?xml version="1.0"?><plist><array/></plist>', "empty.plist": b"", "cut.mlmodel": message[:-9],
             "noise.mlmodel": bytes(range(256)), "empty.mlmodel": b"", "noise.onnx": bytes(range(256)), "empty.onnx": b"",
             "words.txt": b"what is this", "utf16.plist": "<?xml version='1.0'?><plist/>".encode("utf-16")}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    for name, manifest in (("none", b"{}"), ("cut", b'{"fileFormatVersion": '), ("out", json.dumps({
            "fileFormatVersion": "1.0.0", "itemInfoEntries": {"A": {"path": "../../words.txt"}}, "rootModelIdentifier": "A"}).encode())):
        (folder / f"{name}.mlpackage").mkdir()
        (folder / f"{name}.mlpackage/Manifest.json").write_bytes(manifest)
        files[f"{name}.mlpackage"] = None
    shutil.copytree(ROOT / "tests" / "c" / "tiny_llama", folder / "whole")
    for name, inside, data in (("no_json", "config.json", b"{"), ("no_family", "config.json", b'{"model_type": "no_such"}'),
                               ("cut_tensors", "model.safetensors", (folder / "whole/model.safetensors").read_bytes()[:-9]),
                               ("no_header", "model.safetensors", b"\xff" * 64)):
        shutil.copytree(folder / "whole", folder / name)
        (folder / name / inside).write_bytes(data)
        files[name] = None
    for name, data in (("empty.gguf", b""), ("cut.gguf", b"GGUF\3\0\0\0\1\0"), ("noise.gguf", bytes(range(256)))):
        (folder / name).write_bytes(data)
        files[name] = None
    for name in files:
        for form in ("text", "json", "sarif", "html"):
            done = run(program, ["check", name, "--format", form], folder)
            expect(done.returncode == 1 and done.stderr == "", f"check {name} --format {form}: {done.returncode} {done.stderr[:200]!r}")
            if form in ("json", "sarif"):
                try:
                    found = json.loads(done.stdout)
                    expect(form == "sarif" or found["accepted"] is False and found["observations"], f"{name}: {found}")
                except (ValueError, KeyError) as wrong:
                    expect(False, f"check {name} --format {form}: {wrong}: {done.stdout[:200]!r}")
            elif form == "text":
                expect("unreadable:" in done.stdout, f"check {name}: {done.stdout[:200]!r}")
        for subcommand in (["run"], ["diff"], ["convert", "--to", "mil", "-o", "made"], ["generate", "--tokens", "1"]):
            expect(run(program, [subcommand[0], name, *subcommand[1:]], folder).returncode == 2, f"{subcommand} {name}")
    for name in ("missing.mil", "missing.onnx"):
        expect(run(program, ["check", name], folder).returncode == 2, f"check {name}: there is no such file")


UNSEEN = ["\u202e", "\u2066", "\u200b", "\u200d", "\u061c", "\u00ad", "\u180e", "\ufeff", "\u3164", "\U000e0041", "\x9b", "\x7f"]


def names(program, folder):
    """Nothing invisible reaches the terminal, and a long name makes a short line."""
    def model(name, operation="relu"):
        return (f'program(1.3)\n{{\n func main<ios18>(tensor<fp16, [1, 4]> x) {{\n tensor<fp16, [1, 4]> y = {operation}(x = x)'
                f'[name = string("{name}")];\n }} -> (y);\n}}\n')

    for mark in UNSEEN:
        path = folder / f"a{mark}b.mil"
        for text in (model(f"n{mark}m"), model(f"n{mark}m", "no_such"), model("n", f"no{mark}such")):
            path.write_text(text, encoding="utf-8")
            for arguments in (["check", path.name], ["run", path.name], ["draw", path.name], ["check", path.name, "--format", "json"],
                              ["cost", path.name, "--layers"], ["convert", path.name, "--to", "mil", "-o", path.name],
                              ["check", f"missing{mark}"], ["run", path.name, "-i", f"x{mark}=a"], [f"sub{mark}"], ["draw", f"--{mark}"]):
                done = run(program, arguments, folder, encoding="utf-8", errors="surrogateescape")
                expect(mark not in done.stdout + done.stderr, f"{arguments}: {mark!r} is in {done.stdout[:300]!r} {done.stderr[:300]!r}")
        path.unlink()
    long = "n" * 469_000
    (folder / "long.mil").write_text(model("n", long))
    (folder / "ports.mil").write_text(model("n").replace("x = x", f"x = {long}").replace("> x)", f"> {long})"))
    word = "n" * 100_000  # what the system takes as one argument
    for arguments in (["check", "long.mil"], ["run", "long.mil"], ["run", "ports.mil", "-i", "none.npy"], ["run", "ports.mil", "-i", "y=x.npy"],
                      ["run", "ports.mil", "-o", "y.png"], [word], ["check", word], ["check", "--explain", word], ["cost", "ports.mil", "--targets", word]):
        done = run(program, arguments, folder)
        said = done.stderr + (done.stdout if arguments[0] == "check" else "")
        longest = max(map(len, said.splitlines()), default=0)
        expect(longest < 10_000, f"{[each[:20] for each in arguments]}: a line of {longest}")


# ---- a program that is ended --------------------------------------------------------------------------------------------


def large_model(folder):
    """A weight of 64 MB: its writing takes a while."""
    rows, columns = 4096, 8192
    write_model(folder / "large", rows, columns, b"\x00\x3c" * (rows * columns))


def signals(program, folder):
    large_model(folder)
    for kind, output in (("mil", "made"), ("mlpackage", "made.mlpackage"), ("cpp", "made.hpp"), ("netplist", "other")):
        old = None
        for which in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            begun = subprocess.Popen([program, "convert", "large", "--to", kind, "-o", output], cwd=folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + PATIENCE
            while begun.poll() is None and not list(folder.glob(".anemone-*")) and time.monotonic() < deadline:
                time.sleep(0.001)
            begun.send_signal(which)
            ended = begun.wait(PATIENCE)
            expect(ended in (0, -which), f"{kind}: ended with {ended}")
            expect(not list(folder.rglob(".anemone-*")), f"{kind}, {which.name}: left {list(folder.rglob('.anemone-*'))}")
            found = {name: data for name, data in everything(folder).items() if not name.startswith("large")}
            if ended == 0:
                old = found
            else:
                expect(old is None and not any(name.startswith(output) for name in found) or found == old,
                       f"{kind}, {which.name}: half of it is there: {list(found)}")
        for each in folder.iterdir():
            if each.name != "large":
                shutil.rmtree(each) if each.is_dir() else each.unlink()
    ignored = subprocess.run([program, "targets"], cwd=folder, capture_output=True, timeout=PATIENCE,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    expect(ignored.returncode == 0, "with a signal that is ignored")


def main():
    program = command()
    for part in (outside, overwriting, packages, beside_a_manifest, more_rights, options, reports, names, signals):
        with tempfile.TemporaryDirectory() as folder:
            part(program, pathlib.Path(folder))
    return verdict("files from strangers")


if __name__ == "__main__":
    sys.exit(main())
