"""The operator cases of ONNX against the CPU backend and, in float64, the wide reference.

Debian's package libonnx-testdata has about a thousand models with inputs and outputs. The library's own importer reads
each model, which runs on the inputs rounded to fp16 (onnx_run.cpp). The expectation is computed from these rounded
inputs in float64 (onnx_expectation.py), and how far the result may be off from the operators' definitions
(onnx_tolerances.py). What the importer refuses does not apply if the reason is a known one (onnx_refusals.py), else it
fails. Prints every case as passed, failed, without a kernel, or not applicable with the reason, and the counts.

    onnx_cases.py [--run <program>] [--oracle <target>] [--only <part of a name>]

Ends with 1 if a case failed or docs/conformance.md says other counts (ANEMONE_UPDATE_DOCS=1 writes them), with 77
where the packages python3-onnx, python3-numpy or libonnx-testdata are missing.
"""

import argparse
import collections
import pathlib
import sys
import warnings

try:
    import numpy as np
    import onnx
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-onnx and python3-numpy)")
    sys.exit(77)

import page
from harness import ulp
from importer import Importer, port_name
from onnx_expectation import Expectation
from onnx_refusals import outside, sorted_refusal

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")
PACKAGE_VERSION = "1.12.0"  # that docs/conformance.md is about
# Constants with other digits in the graph than where the expectation takes them from.
OTHER_DIGITS = {
    "node/test_constant_pad": "the border of 1.2 is an input, which the expectation rounds to fp16, and a constant here",
    **{f"node/test_{name}": "the importer's matrix of sines is fp16"
       for name in ("dft", "dft_axis", "dft_inverse", "stft", "stft_with_window")},
}
WRONG = {"4 ulp": lambda x: 4 * ulp(x), "1 part in 100": lambda x: 0.01 * np.abs(x)}

# `why` is a fault or a reason, `operators` those that it is about, `operations` what a case that passes is made of.
Outcome = collections.namedtuple("Outcome", "status why operators operations", defaults=("", frozenset(), frozenset()))


def judged(case, status, result, operations):
    """The outcome of a case that the importer read, refused or ended with."""
    try:
        with np.errstate(all="ignore"):
            reason = outside(case)
            if status == "ok" and not reason:
                case.compute()
                fault = case.reference_fault() or case.judge(result)
                return Outcome("failed", fault) if fault else Outcome("passed", operations=operations)
    except Exception as mistake:  # a model that its operators' definitions do not allow, or an unknown operator
        return Outcome("failed", f"reference: {type(mistake).__name__}: {mistake}")
    if reason:
        return Outcome("not applicable", reason, case.operators if len(case.operators) == 1 else {"models of several"})
    if status == "refused":
        reason, named = sorted_refusal(result)
        return Outcome("not applicable", reason, named) if reason else Outcome("failed", result)
    return Outcome("no kernel" if status == "unsupported" else "failed", result)


def notices(case, wrong):
    """Whether the case would fail with one element of its first result wrong: that of middle magnitude among those that
    are not 0."""
    arrays = {name: tensor.exact.astype(np.float64) for name, tensor, _ in case.checked}
    name, tensor, _ = case.checked[0]
    flat = arrays[name].reshape(-1)
    places = np.flatnonzero(np.isfinite(flat) & (flat != 0))
    at = places[np.argsort(np.abs(flat[places]))[places.size // 2]] if places.size else 0
    flat[at] += WRONG[wrong](flat[at] if places.size else 1.0) if tensor.exact.dtype.kind == "f" else 1
    return case.judge({**arrays, name: flat.reshape(tensor.exact.shape)}) is not None


def results_of(importer, folders, options):
    """What the importer says of each folder, its arrays by the names of the file."""
    # All of them, of what does not apply, too: nothing may end the program.
    for folder, (status, result, operations) in zip(folders, importer.run(folders, *options)):
        case = Expectation(folder)
        if status == "ok":
            names = {port_name(port.name): port.name for port in case.model.graph.output}
            result = {names.get(name, name): array for name, array in result.items()}
        yield case, status, result, operations


def wide_faults(importer, folders):
    """Runs the cases in float64 (backend::wide); how many of them are not what their definition gives."""
    failed, compared = 0, 0
    for case, status, result, _ in results_of(importer, folders, ["--wide"]):
        with np.errstate(all="ignore"):
            case.compute()
            if not case.has_wide_expectation() or case.name in OTHER_DIGITS:
                continue
            fault = case.judge_wide(result) if status == "ok" else result
        compared += 1
        if fault:
            failed += 1
            print(f"failed in float64 {case.name}: {fault}")
    print(f"{compared} cases in float64, {failed} of them failed")
    return failed


def summary(outcomes):
    """Prints everything; returns the counts and, for each reason, how many cases and of what operators."""
    for name, found in sorted(outcomes.items()):
        print(f"{found.status:14} {name}{': ' + found.why if found.why else ''}")
    counts = collections.Counter(found.status for found in outcomes.values())
    print(f"\n{len(outcomes)} cases: " + ", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    reasons = {}
    for found in outcomes.values():
        if found.status == "not applicable":
            count, operators = reasons.get(found.why, (0, set()))
            reasons[found.why] = count + 1, operators | found.operators
    for why, (count, _) in sorted(reasons.items(), key=lambda r: -r[1][0]):
        print(f"  {count:4} {why}")
    return counts, reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--run", help="the program conformance_onnx_run")
    parser.add_argument("--oracle", help="run on the oracle of this target; nothing is compared with the page")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    importer = Importer(given.run)
    if not DATA.is_dir():
        print(f"skipped: no {DATA} (Debian package libonnx-testdata)")
        return 77
    if importer.missing():
        print(f"skipped: {importer.program} is not built (Debian packages libonnx-dev and libprotobuf-dev)")
        return 77
    if onnx.__version__ != PACKAGE_VERSION:
        print(f"version {onnx.__version__}: docs/conformance.md is about {PACKAGE_VERSION} and is not compared")

    folders = [f for kind in KINDS for f in sorted((DATA / kind).iterdir()) if given.only in f"{kind}/{f.name}"]
    outcomes, passed = {}, []
    for case, *told in results_of(importer, folders, ["--oracle", given.oracle] if given.oracle else []):
        outcomes[case.name] = judged(case, *told)
        if outcomes[case.name].status == "passed":
            passed.append((case, told[1]))
    counts, reasons = summary(outcomes)
    if not given.oracle:
        counts["failed"] += wide_faults(importer, [case.folder for case, _ in passed])
    strict = sum(case.judge(result, strict=True) is None for case, result in passed)
    print(f"{strict} of those that pass do so within 2 ulp, without the slack of a composition or a sum")
    noticed = {wrong: sum(notices(case, wrong) for case, _ in passed) for wrong in WRONG}
    print("a wrong element is noticed: " + ", ".join(f"off by {wrong} in {n} cases" for wrong, n in noticed.items()))
    good = counts["failed"] == 0
    if not given.only and not given.oracle and onnx.__version__ == PACKAGE_VERSION:
        covered = collections.Counter(name for found in outcomes.values() for name in found.operations)
        operators = set().union(*(case.operators for case, _ in passed))
        parts = page.onnx_parts(PACKAGE_VERSION, counts, reasons, operators, covered)
        good = page.check({**parts, **page.onnx_limits(counts["passed"], strict, noticed)}) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
