"""What the command `anemone` does with a terminal and its shells: a line of progress, completions, the manual page.

Shells that are not installed are left out (bash, zsh, fish), and so is groff."""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

from _harness import PATIENCE, ROOT, command, expect, verdict


# ---- progress -----------------------------------------------------------------------------------------------------------


def on_terminal(line, folder, columns=60, **environment):
    """(what a terminal got as standard error, what a pipe got as standard output)"""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {**os.environ, "TERM": "xterm", **environment}
    variables.pop("NO_COLOR", None)
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=slave, env=variables) as child:
        os.close(slave)
        got = {master: b"", child.stdout.fileno(): b""}
        still_open = set(got)
        while still_open:
            for each in select.select(list(still_open), [], [], PATIENCE)[0]:
                try:
                    piece = os.read(each, 65536)
                except OSError:  # a terminal whose other end is closed
                    piece = b""
                got[each] += piece
                still_open -= set() if piece else {each}
        err, out = got[master], got[child.stdout.fileno()]
        expect(child.wait(timeout=PATIENCE) == 0, f"{line}: {child.returncode} {err!r}")
    os.close(master)
    return err.decode(), out.decode()


def progress(program, folder):
    long = [program, "bench", "classifier.mil", "--whole", "--no-limits", "--backend", "cpu", "--threads", "1",
            "--seconds", "1.3", "--json"]
    err, out = on_terminal(long, folder)
    lines = [each for each in err.split("\r\x1b[K") if each]
    expect(lines and err.startswith("\r\x1b[K") and err.endswith("\r\x1b[K"), f"the line is not erased: {err!r}")
    parts = [int(each) for line in lines for each in re.findall(r"(\d+) %", line)]
    expect(parts == sorted(parts) and parts and parts[0] >= 10, f"the parts are {parts}")
    expect(all("running on cpu" in line and line.startswith("[=") for line in lines), f"lines: {lines}")
    expect("\x1b" not in out and out.startswith("["), f"standard output: {out!r}")
    narrow, _ = on_terminal(long, folder, columns=20)
    expect(all(len(each) < 20 for each in narrow.split("\r\x1b[K")), f"a line wraps: {narrow!r}")
    began = time.monotonic()
    quick, _ = on_terminal([program, "bench", "classifier.mil", "--whole", "--no-limits", "--backend", "cpu", "--seconds", "0.1"],
                           folder)
    expect(quick == "" or time.monotonic() - began > 1, f"a short run says {quick!r}")  # a busy machine may take longer
    for variables in ({"TERM": "dumb"}, {"TERM": ""}):
        silent, _ = on_terminal(long, folder, **variables)
        expect(silent == "", f"{variables}: {silent!r}")
    piped = subprocess.run(long, cwd=folder, capture_output=True, env={**os.environ, "TERM": "xterm"}, timeout=PATIENCE)
    expect(piped.stderr == b"", f"a pipe gets {piped.stderr!r}")
    coloured = subprocess.run(["script", "-qec", f"{program} check classifier.mil --targets h13", "/dev/null"], cwd=folder,
                              capture_output=True, env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"}, timeout=PATIENCE) \
        if shutil.which("script") else None
    expect(coloured is None or b"\x1b[" not in coloured.stdout, f"NO_COLOR: {coloured}")


# ---- completions --------------------------------------------------------------------------------------------------------

SUBCOMMANDS = {"check", "run", "diff", "cost", "draw", "convert", "bench", "targets", "rules", "completions", "manual"}
LINES = [  # what is typed, what must be offered, what must not
    ("anemone ", SUBCOMMANDS, {"--targets"}),
    ("anemone ch", {"check"}, {"cost"}),
    ("anemone check --tar", {"--targets"}, {"--route"}),
    ("anemone check --format ", {"text", "json", "sarif", "html"}, {"macs"}),
    ("anemone check --targets h1", {"h13", "h17s"}, {"macs"}),
    ("anemone check --waive R03", {"R030"}, {"R103"}),
    ("anemone check --explain kernel_width", {"kernel_width_exceeds"}, set()),
    ("anemone diff x.mil -r h1", {"h13"}, {"h13,"}),
    ("anemone convert --to ", {"mil", "netplist"}, set()),
    ("anemone check class", {"classifier.mil"}, set()),
    ("anemone run classifier.mil --output pro", {"probabilities.npz"}, set()),
    ("anemone completions z", {"zsh"}, {"bash"}),
]


def bash(program, folder):
    script = folder / "completion.bash"
    script.write_text(subprocess.run([program, "completions", "bash"], capture_output=True, text=True, check=True).stdout)

    def offered(line):
        # As readline calls it; the words that it cuts at ':', '=' are in COMP_WORDBREAKS.
        done = subprocess.run(["bash", "-c", 'source completion.bash; compopt() { :; }; COMP_LINE=$1 COMP_POINT=${#1}; '
                               'COMP_WORDBREAKS=$\' \\t\\n"\\\'><=;|&(:\'; _anemone; printf "%s\\n" "${COMPREPLY[@]}"',
                               "bash", line], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
        expect(done.stderr == "", f"bash, {line!r}: {done.stderr}")
        return set(done.stdout.split())

    for line, wanted, unwanted in LINES:
        found = offered(line)
        expect(wanted <= found and not unwanted & found, f"bash, {line!r}: {sorted(found)[:20]}")
    expect("h13,h14" in offered("anemone check --targets h13,h1"), "bash: a list goes on")
    expect("h13" in offered("anemone run x.mil -b oracle:h1"), "bash: behind a colon")
    expect("classifier.mil" in offered("anemone run x.mil -i x=cl"), "bash: behind an equals sign")
    expect("sarif" in offered("anemone check --format=s"), "bash: an option with its value")
    expect("--format" in offered("anemone --config a.toml check --for"), "bash: behind an option of the program")

    master, slave = pty.openpty()  # and with readline itself
    with subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], cwd=folder, stdin=slave, stdout=slave, stderr=slave,
                          env={"PATH": os.environ["PATH"], "TERM": "dumb", "PS1": "$ ", "INPUTRC": "/dev/null"},
                          start_new_session=True) as child:
        os.close(slave)
        text = b""
        for line, last in ((b"source completion.bash; anemone() { echo got \"$@\" .; }; echo r$((0))ady\n", b"r0ady"),
                           (b"anemone che\tclass\t--rou\tnetp\t-b oracle:h17s\n", b"h17s .")):
            os.write(master, line)
            while last not in text and select.select([master], [], [], PATIENCE)[0]:
                text += os.read(master, 65536)
        expect(b"got check classifier.mil --route netplist" in text, f"bash with readline: {text!r}")
        os.write(master, b"exit\n")
        child.wait(timeout=PATIENCE)
    os.close(master)


def other_shells(program, folder):
    for shell in ("zsh", "fish"):
        script = folder / f"_anemone.{shell}"
        script.write_text(subprocess.run([program, "completions", shell], capture_output=True, text=True, check=True).stdout)
        text = script.read_text()
        for each in SUBCOMMANDS | {"kernel_width_exceeds", "macs", "h17s", "netplist"}:
            expect(each in text, f"{shell}: {each} is missing")
        if shutil.which(shell) is None:
            print(f"{shell} is not installed")
            continue
        done = subprocess.run([shell, "-n", script], capture_output=True, text=True, timeout=PATIENCE)
        expect(done.returncode == 0 and done.stderr == "", f"{shell}: {done.stderr}")
    if shutil.which("fish"):
        for line, wanted, unwanted in LINES:
            done = subprocess.run(["fish", "--private", "-c", f"source _anemone.fish; complete -C '{line}'"], cwd=folder,
                                  capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "HOME": str(folder)})
            found = {each.split("\t")[0] for each in done.stdout.splitlines()}
            expect(wanted <= found and not unwanted & found, f"fish, {line!r}: {sorted(found)[:20]} {done.stderr}")


# ---- the manual, and help -----------------------------------------------------------------------------------------------


def manual(program, folder):
    page = subprocess.run([program, "manual"], capture_output=True, text=True, check=True).stdout
    (folder / "anemone.1").write_text(page)
    for each in SUBCOMMANDS:
        expect(f".B anemone {each}\n" in page, f"the manual has no {each}")
        told = subprocess.run([program, each, "--help"], capture_output=True, text=True, check=True).stdout
        expect("Example" in told, f"{each} --help has no example")
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", told):
            expect(option.replace("-", "\\-") in page, f"the manual has no {option} of {each}")
    for tool in (["groff", "-man", "-Tutf8", "-ww", "-z"], ["mandoc", "-Tlint", "-Wwarning"]):
        if shutil.which(tool[0]):
            done = subprocess.run([*tool, "anemone.1"], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
            expect(done.returncode == 0 and done.stderr + done.stdout == "", f"{tool[0]}: {done.stderr}{done.stdout}")
    if shutil.which("man"):
        done = subprocess.run(["man", "--warnings", "-l", "anemone.1"], cwd=folder, capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "MANWIDTH": "80", "MAN_KEEP_FORMATTING": ""})
        expect(done.stderr == "" and "ANEMONE(1)" in done.stdout, f"man: {done.stderr} {done.stdout[:200]}")


def main():
    program = command()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "classifier.mil").write_bytes((ROOT / "examples" / "reading" / "classifier.mil").read_bytes())
        (folder / "probabilities.npz").touch()
        progress(program, folder)
        if shutil.which("bash"):
            bash(program, folder)
        other_shells(program, folder)
        manual(program, folder)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
