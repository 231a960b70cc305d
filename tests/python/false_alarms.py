"""Programs as Core ML's converter writes networks, and what `anemone check` says of their values: what is not defended here
is a false alarm.

Usage: false_alarms.py [PROGRAM] [--programs NUMBER] [--keep FOLDER] [--list]; --list prints what was found and judges
nothing."""

import collections
import json
import math
import pathlib
import sys
import tempfile

import _harness
import _networks
from _harness import command, expect, verdict

sys.path.insert(0, str(_harness.ROOT / "tests"))
import from_environment

PROGRAMS = 300 if from_environment.thorough() else 100  # of the long test, and of the usual one
TARGETS = "h13,h15g,h17s"

# Rules that are not of values: of support, shapes, memory, lanes and routes. What they say of these programs is so.
OTHERS = {
    "attention_has_few_queries", "both_operands_are_live", "channels_do_not_interleave", "convolved_width_leaves_no_margin",
    "dilation_is_not_native", "fan_in_exceeds", "gather_needs_one_batch_one_plane_and_3_components", "grouped_kernel_is_decomposed",
    "groups_do_not_divide_cores", "kernel_needs_large_mode", "large_kernel_is_dilated", "large_kernel_is_grouped",
    "large_kernel_is_not_a_multiple_of_eight", "operation_is_not_written", "output_channels_cross_a_pass",
    "producer_has_other_readers", "resize_is_decomposed", "rows_share_a_bank", "sliced_channels_are_not_aligned",
    "square_and_sum_are_not_fused", "square_feeds_a_nonlinearity", "width_is_not_a_granule", "width_is_one",
    "winograd_needs_unit_stride", "pool_stride_is_three", "small_convolution_leaves_the_engine", "index_exceeds_half_precision",
}

# What may be said of values, by rule and operation: the level at most, the share of programs of which it is said, as counted on
# 2,700 of nine seeds, and why it is no false alarm. How many of a run's programs have it is a matter of the seed: a binomial number,
# which is allowed five deviations above its mean, and one program more where the share is small.
BOUNDS = "by the bounds of a residual sum or a chain of layers, which know nothing of what values have in common: told, no error"
SUMS = ("conv2d", "conv_transpose2d", "linear", "matmul")
DEFENDED = {
    ("argument_leaves_the_table", ("sigmoid",)): (
        "warning", 0.015, "the tail of the table is 5e-5 instead of zero: it counts where it is an output or times a large x"),
    ("contraction_may_reach_ceiling", SUMS): ("warning", 0.012, BOUNDS),
    ("inner_value_may_leave_half_precision", ("layer_norm", "instance_norm", "group_norm")): (
        "warning", 0.065, BOUNDS + "; a norm of a sum that reaches 256 does overflow (R151), as models with outliers show"),
    ("square_may_overflow", ("mul", "square")): ("warning", 0.03, BOUNDS + "; a square written as x x, and a norm in its parts"),
    ("value_may_leave_half_precision", ("reduce_sum_square", "reduce_l2_norm", "mul", "add", "sub", "div")): (
        "warning", 0.02, BOUNDS + "; the same of the length of a row, and of a sum that is scaled"),
    ("divisor_may_be_zero", ("div",)): (
        "warning", 0.001, BOUNDS + "; of a variance of what may overflow even its sign is lost: one program of 2,700"),
    ("own_layer_fails", ("softplus",)): (
        "warning", 0.065, "the engine's own layer was measured to give 0 from 11.09 on (N098), which activations reach"),
    ("products_are_near_the_quantum", ("matmul",)): (
        "warning", 0.01, "queries and keys of small weights: products near 2^-16 lose digits (N160), as far as spreads tell"),
    ("width_slice_may_saturate", ("slice",)): (
        "error", 0.03, "halves of rotary positions in a model without a norm before: nothing bounds what is cut inside the width (R090)"),
    ("file.refused", ("",)): (
        "error", 0.08, "a table read by indices of int32: no type of a port, and gather has no form on the route (OC10)"),
}


def defence(rule, operation):
    """The row of DEFENDED, or one that allows nothing."""
    rows = [(operations, row) for (of, operations), row in DEFENDED.items() if of == rule and operation in operations]
    return rows[0] if rows else ((operation,), ("none", 0, ""))


def allowed(share, programs):
    """How many of as many programs may have what a share of all has."""
    return share * programs + 5 * math.sqrt(share * programs) + 1


def judged(run, path):
    """The findings of one program: rule, operation, level, message; with what the file is refused for."""
    done = run([str(path), "-a", "-t", TARGETS, "--format", "json"])
    expect(done.returncode in (0, 1), f"{path.name}: {done.stderr}")
    told = json.loads(done.stdout)
    seen = set()
    for verdict_of_target in told["verdicts"]:
        for found in verdict_of_target["violations"]:
            seen.add((found["rule"], found["operation"], found["level"], found["line"], found["message"]))
    for each in told["observations"]:
        if each["id"] not in ("file.note",):
            seen.add((each["id"], "", each["level"], each["line"], each["message"]))
    return seen


def main():
    arguments = sys.argv[1:]
    count = int(arguments[arguments.index("--programs") + 1]) if "--programs" in arguments else PROGRAMS
    lists = "--list" in arguments
    sys.argv[1:] = [a for i, a in enumerate(arguments) if not a.startswith("--") and (i == 0 or arguments[i - 1] not in ("--programs", "--keep"))]
    program, seed = command(), from_environment.seed()
    totals, examples = collections.Counter(), {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments[arguments.index("--keep") + 1]) if "--keep" in arguments else pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        for number in range(count):
            kind, text = _networks.network(seed, number)
            path = folder / f"{number}.mil"
            path.write_text(text)
            told = {}
            for rule, operation, level, line, message in judged(lambda a: _harness.run(program, ["check", *a], folder), path):
                if rule not in OTHERS:
                    operations, _ = defence(rule, operation)
                    told.setdefault((rule, operations, level), (kind, operation, message))
            totals.update(told.keys())
            for what, example in told.items():
                examples.setdefault(what, example)
            if "--keep" not in arguments:
                path.unlink()
    order = ("note", "warning", "error")
    for (rule, operations, level), times in sorted(totals.items()):
        if lists:
            print(f"{times:5} {rule} {' '.join(operations)} {level}: {examples[rule, operations, level]}")
            continue
        _, (most, share, _) = defence(rule, operations[0])
        fits = most in order and order.index(level) <= order.index(most) and times <= allowed(share, count)
        expect(fits, f"{rule}, {level}, of {times} programs: {examples[rule, operations, level]}")
    return 0 if lists else verdict(f"{count} programs of seed {seed}", f"{sum(totals.values())} kinds of findings on values")


if __name__ == "__main__":
    sys.exit(main())
