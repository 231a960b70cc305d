"""`anemone check` on the models of Debian's libonnx-testdata: accepted, refused with reasons, or impossible, and never a
crash. A part of them, or with --all every one; `corpus.py [--all] [PROGRAM] [OPTIONS OF check...]`.

Each file is also read once with its end cut off and once with a byte changed."""

import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tempfile

from _harness import PATIENCE, command, skip

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
PART = 40  # of about a thousand


def verdict(program, path, options):
    """What is wrong with an answer; nothing where it is one of the three."""
    done = subprocess.run([program, "check", path, *options], capture_output=True, timeout=PATIENCE)
    said = done.stdout + done.stderr
    if done.returncode not in (0, 1, 2):
        return f"{path}: exit code {done.returncode}: {said[-2000:].decode(errors='replace')}", done.returncode
    if done.returncode == 2 and not done.stderr.strip():
        return f"{path}: exit code 2 and no reason", 2
    if done.returncode == 1 and not done.stdout.strip():
        return f"{path}: refused without a reason", 1
    return "", done.returncode


def main():
    words = sys.argv[1:]
    everything = "--all" in words
    words = [each for each in words if each != "--all"]
    program = command()
    files = sorted(DATA.rglob("*.onnx"))
    if not files:
        skip(f"no {DATA} (Debian package libonnx-testdata)")
    if not everything:
        files = files[:: max(len(files) // PART, 1)]
    options = words[1:] or ["--targets", "h13,h16", "--format", "text"]
    seed = 20261123
    print(f"seed {seed}")
    changes = random.Random(seed)
    counts, failures = {}, []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = []
        for number, path in enumerate(files):
            whole = path.read_bytes()
            cut = pathlib.Path(name, f"{number}_cut.onnx")
            cut.write_bytes(whole[: changes.randrange(len(whole) + 1)])
            changed = bytearray(whole)
            if changed:
                changed[changes.randrange(len(changed))] ^= 1 << changes.randrange(8)
            other = pathlib.Path(name, f"{number}_changed.onnx")
            other.write_bytes(changed)
            jobs += [pool.submit(verdict, program, each, options) for each in (path, cut, other)]
        for job in jobs:
            wrong, code = job.result()
            counts[code] = counts.get(code, 0) + 1
            failures += [wrong] if wrong else []
    print("\n".join(failures))
    print(f"{len(jobs)} files: " + ", ".join(f"{n} with exit code {code}" for code, n in sorted(counts.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
