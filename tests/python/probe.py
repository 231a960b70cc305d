"""The report of the kit (./run probe), judged by what the facts say and not by the kit: every published record is there, or
the reason why nothing is asked; engine and oracle are compared once more; single numbers are those of the table. Faults of
the stand-ins appear with their calls, lose no other item, and a kit that is killed leaves the old report or a whole one.

    probe.py              test the kit of ANEMONE_BUILD_DIR against both stand-ins
    probe.py FILE         judge a report
"""

import collections
import csv
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

from _harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
KIT = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", ROOT / "build/gcc")) / "bin/probe"
GOOD = {"agrees", "partly", "unposed"}
VERDICTS = ["agrees", "partly", "unposed", "differs", "contradicts", "failed", "died", "hung"]
QUICK = """accumulator names_of_ports rows_and_planes bytes_in by_the_worker opened_again from_the_cache native_layer
two_programs N004 N005 N01_30000 N018 N019 N030 N031 N032 N040 N041 N043 N044 N046 N060 N061 N064 N065 N068 N076 N080 N082 N084
N086 N091 N092 N093 N096 N098 N101 N102 N105 N106 N107 N109 N113 N114 N121 N122 N155 N200 N203 NC5 NC_N108""".split()

Item = collections.namedtuple("Item", "id door verdict lines")


def facts():
    lines = [line for line in (ROOT / "tests/facts/numerics.csv").read_text().splitlines() if not line.startswith("#")]
    return {row["id"]: row for row in csv.DictReader(lines, delimiter=";", quoting=csv.QUOTE_NONE)}


def parse(text):
    """The heading and the items of a whole report."""
    assert text.startswith("Anemone probe report, form 1\n") and text.endswith("\nend of the report\n"), text[-200:]
    head, *rest = text.removesuffix("\nend of the report\n").split("\n== ")
    heading = dict(line.split(": ", 1) for line in head.strip().splitlines()[1:])
    items = []
    for part in rest:
        title, *lines = part.rstrip("\n").split("\n")
        name, verdict = title.split(": ")
        items.append(Item(*name.split(" "), verdict, [line[3:] for line in lines]))
    return heading, items


def half(pattern):
    return struct.unpack(">e", bytes.fromhex(pattern))[0]


def graphs(item):
    """The bits of engine and oracle of each graph that is told, and what was said of them."""
    found = []
    for before, engine, oracle, verdict in zip(item.lines, item.lines[1:], item.lines[2:], item.lines[3:]):
        if engine.startswith("  engine ") and oracle.startswith("  oracle "):
            found.append((engine[9:], oracle[9:], verdict.strip()))
    return found


def published_number(text):
    match = re.fullmatch(r"[+-]?(inf|\d+(\.\d+)?)( finite)?", text)
    return float(text.removesuffix(" finite")) if match else None


def judge(text, whole=True):
    """Faults of a report, a sentence each."""
    heading, items = parse(text)
    records = facts()
    faults = []

    counted = collections.Counter(item.verdict for item in items)
    counts = f"{len(items)} in all" + "".join(f", {verdict} {counted[verdict]}" for verdict in VERDICTS)
    if heading["items"] != counts:
        faults.append(f"the heading counts '{heading['items']}', there are '{counts}'")
    if (heading["verdict"] == "everything agrees") != (set(counted) <= GOOD):
        faults.append("the verdict of the heading is not that of the items")
    for missing in {"began", "ended", "chip", "system", "compiler", "anemone"} - {k for k, v in heading.items() if v}:
        faults.append(f"no {missing}")
    doors = [door for door in ("direct", "netplist") if f"{door} door" in heading]
    if not doors:
        faults.append("no library is named")

    seen = collections.Counter((item.id, item.door) for item in items)
    faults += [f"{id} {door}: there {times} times" for (id, door), times in seen.items() if times != 1]
    if whole:
        faults += [f"{id} {door}: is not there" for id in records for door in doors if not seen[id, door]]

    checked = 0
    for item in items:
        name = f"{item.id} {item.door}"
        told = graphs(item)
        for engine, oracle, said in told:
            same = engine == oracle
            if same != (said == "same bits"):
                faults.append(f"{name}: '{engine}' and '{oracle}' are called '{said}'")
            if not same and not said.startswith("the bits of the file") and item.verdict in GOOD:
                faults.append(f"{name}: differs, and {item.verdict}")
        if item.verdict == "unposed" and not item.lines[1:]:
            faults.append(f"{name}: nothing is asked, and no reason given")
        if item.id not in records:
            continue
        if not item.lines[0].startswith(records[item.id]["operation"] + " | " + records[item.id]["chip"]):
            faults.append(f"{name}: is not described as in the facts")
        number = published_number(records[item.id]["expected"])
        contradiction = records[item.id]["operation"] == "contradiction"  # its expectation is the other side
        single = told and " " not in told[0][0]
        if single and number is not None and not contradiction and "published: met" in item.lines:
            got = half(told[0][0])
            checked += 1
            near = 0 if abs(number) > 1 else 2e-3 * abs(number)  # of a small one four digits are published
            if got != number and not abs(got - number) <= near:
                faults.append(f"{name}: {got}, published is {number}")
    return faults, checked


def run(folder, *arguments, expect, **environment):
    """Runs the kit; its report, or None, and what it printed."""
    file = folder / "report.txt"
    file.unlink(missing_ok=True)
    done = subprocess.run([KIT, "--output", file, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **environment})
    assert done.returncode == expect, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    assert [path.name for path in folder.iterdir() if path != file] == [], list(folder.iterdir())
    return (file.read_text() if file.exists() else None), done.stdout + done.stderr


def item_of(text, id):
    return next(item for item in parse(text)[1] if item.id == id)


def test_agreement(folder):
    text, _ = run(folder, "--only", *QUICK, expect=0)
    faults, checked = judge(text, whole=False)
    assert not faults, "\n".join(faults)
    assert checked >= 35, checked
    for door in ("direct", "netplist"):
        assert f"{door} door: it is the stand-in of this repository, " in text
    met = sum("published: met" in item.lines for item in parse(text)[1])
    print(f"{len(parse(text)[1])} items agree, {met} published values met, {checked} of them checked by number")


def test_judge(folder):
    """The judge finds what is wrong."""
    text, _ = run(folder, "--door", "direct", "--only", "N040", "N107", "N076", expect=0)
    assert judge(text, whole=False) == ([], 2), judge(text, whole=False)
    for old, new, why in (("  engine 77ff", "  engine 77fe", "are called"), ("agrees 3", "agrees 4", "counts"),
                          ("32752 finite", "32752 finite", None), ("\nend of the report\n", "", "AssertionError"),
                          ("== N040 direct: agrees", "== N040 direct: differs", "counts"),
                          ("  engine 77ff\n     oracle 77ff", "  engine 77fd\n     oracle 77fd", "published is 32752")):
        try:
            found = judge(text.replace(old, new), whole=False)[0]
        except AssertionError:
            found = ["AssertionError"]
        assert old in text and (any(why in fault for fault in found) if why else not found), (old, found)
    assert len(judge(text)[0]) == len(facts()) - 3, "records that are missing"


def test_list():
    """Every record is posed, or has a reason."""
    listed = subprocess.run([KIT, "--list"], capture_output=True, text=True, check=True).stdout
    rows = {line.split()[0]: line[17:] for line in listed.splitlines()}
    records = facts()
    assert set(records) <= set(rows), set(records) - set(rows)
    reasons = {id: row for id, row in rows.items() if row.startswith("not asked: ")}
    assert not any("fault of the kit" in reason for reason in reasons.values()), reasons
    print(f"of {len(records)} records {len(records) - len(reasons)} are posed, {len(reasons)} have a reason not to be")
    assert len(records) - len(reasons) >= 135


def test_faults(folder):
    sync, compile = "e5rt_execution_stream_execute_sync", "e5rt_e5_compiler_compile"
    only = ("--door", "direct", "--only", "N060", "N040", "N041")
    for fault, id, verdict, call in ((f"{sync}:1:7", "N060", "failed", f"{sync} = 7"),
                                     (f"{compile}:1:5", "N060", "failed", f"{compile} = 5"),
                                     (f"{compile}:2:abort", "N040", "died", f"{compile} = (did not return)"),
                                     (f"{compile}:2:hang", "N040", "hung", f"{compile} = (did not return)")):
        text, _ = run(folder, "--limit", "1", *only, expect=1, ANEMONE_STANDIN_FAIL=fault)
        item = item_of(text, id)
        assert item.verdict == verdict and f"    {call}" in item.lines, (fault, item)
        assert "    e5rt_e5_compiler_create_with_config = 0" in item.lines, item
        assert len(parse(text)[1]) == 4, text
    assert "the process ended: signal 6" in " ".join(item.lines) or verdict == "hung"

    text, _ = run(folder, "--door", "direct", "--only", "N040", expect=1, ANEMONE_STANDIN_FAIL=f"{sync}:1:die")
    assert item_of(text, "N040").verdict == "failed" and "has died" in text, text
    text, _ = run(folder, "--door", "direct", "--only", "N040", expect=0, ANEMONE_STANDIN_SLOW="20")
    took = float(re.search(r"time ([\d.]+) ms, median of 5 .*; cost 0\.2\d", text)[1])
    assert took >= 20, took
    text, _ = run(folder, "--door", "netplist", "--only", "N040", "N041", expect=1,
                  ANEMONE_OBJC_FAIL="evaluateWithQoS:options:request:error::1")
    evaluate = "    -[_ANEInMemoryModel evaluateWithQoS:options:request:error:] = 0"
    assert item_of(text, "N040").verdict == "failed" and evaluate in item_of(text, "N040").lines, text
    assert item_of(text, "N041").verdict == "agrees", text
    text, _ = run(folder, "--only", "N040", expect=1, ANEMONE_E5RT="/nowhere.so")
    assert [(item.id, item.door, item.verdict) for item in parse(text)[1]] == [
        ("library", "direct", "failed"), ("library", "netplist", "agrees"), ("N040", "netplist", "agrees")], text


def workers_of(process):
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return children.read_text().split() if children.exists() else []


def eventually(truth):
    """What `truth` says as soon as that is something; what it says at last where it never is."""
    until = time.monotonic() + PATIENCE
    while not (said := truth()) and time.monotonic() < until and pathlib.Path("/proc/self").exists():
        time.sleep(0.01)
    return said


def test_kill(folder):
    """Killed while it works: the old report, nothing else, no worker. Killed at its end: the old one or a whole one."""
    file = folder / "report.txt"
    old = "an old report\n"
    for by in (signal.SIGKILL, signal.SIGTERM):
        file.write_text(old)
        process = subprocess.Popen([KIT, "--output", file, "--only", "N040"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, "ANEMONE_STANDIN_SLOW": "20000"})
        assert process.stdout.readline()
        workers = eventually(lambda: workers_of(process))
        assert workers or not pathlib.Path("/proc/self").exists()
        process.send_signal(by)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == (2 if by == signal.SIGTERM else -9), process.returncode
        assert [path.name for path in folder.iterdir()] == ["report.txt"] and file.read_text() == old
        for worker in workers:
            assert eventually(lambda: not pathlib.Path(f"/proc/{worker}/exe").exists()), f"worker {worker} still runs"
    began = time.time()
    subprocess.run([KIT, "--output", file, "--door", "direct", "--only", "N040"], stdout=subprocess.DEVNULL, check=True)
    span = time.time() - began
    for i in range(10):
        file.write_text(old)
        process = subprocess.Popen([KIT, "--output", file, "--door", "direct", "--only", "N040"], stdout=subprocess.DEVNULL)
        time.sleep(span * (0.8 + 0.04 * i))
        process.kill()
        process.wait()
        assert file.read_text() == old or not judge(file.read_text(), whole=False)[0]
    for path in folder.iterdir():
        path.unlink()


def test_files(folder):
    """What cannot be written is said before anything is asked; a disk that fills up leaves the old report."""
    only = ("--door", "direct", "--only", "N042", "N041", "N048", "N106")
    for output, why in ((folder / "missing/report.txt", "is no folder"), (folder, "is a folder")):
        done = subprocess.run([KIT, "--output", output, *only], capture_output=True, text=True)
        assert done.returncode == 2 and why in done.stderr and str(output.parent if "no" in why else output) in done.stderr
    file = folder / "report.txt"
    file.write_text("old")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run([KIT, "--output", file, *only], capture_output=True, text=True, preexec_fn=small_files)
    assert done.returncode == 2 and "report.txt" in done.stderr and "too large" in done.stderr.lower(), done
    assert file.read_text() == "old" and [path.name for path in folder.iterdir()] == ["report.txt"]
    assert "end of the report" in done.stdout, "the report is printed instead"
    for arguments in (["--only", "N999"], ["--door", "front"], ["--limit", "0"], ["--target", "h99"], ["--nonsense"],
                      ["--output"]):
        done = subprocess.run([KIT, *arguments], capture_output=True, text=True)
        assert done.returncode == 2 and arguments[-1] in done.stderr and not done.stdout, done


def main():
    if len(sys.argv) == 2:
        faults, checked = judge(pathlib.Path(sys.argv[1]).read_text())
        print(*faults, f"{len(faults)} faults; {checked} published numbers checked", sep="\n")
        return 1 if faults else 0
    if not KIT.exists():
        print(f"{KIT} is not built")
        return 77
    test_list()
    for test in (test_agreement, test_judge, test_faults, test_kill, test_files):
        with tempfile.TemporaryDirectory() as folder:
            began = time.time()
            test(pathlib.Path(folder))
            print(f"{test.__name__}: {time.time() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
