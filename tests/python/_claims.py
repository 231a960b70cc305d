"""What README.md claims, and the tests that hold it: a file, or a file and the title of its case.

Each paragraph of "What it proves" and each row of "What there is" is a claim or several; a row without one, a text that
README.md no longer has, or a test that there is not, fails `readme.py`."""

RULES = "tests/rules/"
COMPILE_FAIL = "tests/compile_fail/run.py"
CONFORMANCE = "tests/conformance/page.py"

# The words of the claim, and what holds them.
CLAIMS = [
    # The head of the page.
    ("The **C++ compiler** rejects it where the Apple Neural Engine would, and says why",
     [COMPILE_FAIL, (RULES + "coverage.cpp", "every rule about graphs and weights has a model that does not compile")]),
    ("emitted as a netplist and as MIL text",
     [("tests/formats/mil.cpp", "mil: the text of five models is the kept text"),
      ("tests/formats/netplist_records.cpp", "netplist: every unit of the facts is written with the keys of its record, or the page says why not")]),
    ("dispatched on the engine without Core ML", [("tests/backend/engine/session.cpp", "engine session: the calls, their order and their arguments")]),
    ("**the engine's own arithmetic, bit for bit**", [("tests/numerics/probe_register.cpp", None), ("tests/numerics/curves.cpp", "curves: error of products against K")]),
    ("Header-only, C++20, g++ 12 and clang 14 or newer", ["tests/package/check.cmake", "tests/ways/header_only.cpp"]),
    ("builds and runs this on a fresh Debian 12", ["tests/fresh_debian.sh"]),
    ("It ends with the command [`anemone`](docs/command.md) on files, those of [PyTorch]", ["tests/python/pytorch_example.py"]),
    ("has its own parser, checker, shape inference, weight decoding, fusion and data movement",
     [("tests/standin/test_parser.cpp", "stand-in: a text is taken apart"),
      ("tests/formats/mil_compressed.cpp", "the stand-in expands every form that MIL has to the values of the library's decoder")]),
    ("`./run probe` puts the published measurements to your engine", ["tests/python/probe.py"]),
    # What the compiler says.
    ("Both compilers name the operation, rule, target, source line, node, value and limit", [COMPILE_FAIL]),
    ("adds a fix, the first target that accepts the model, the source of the rule, and a drawing of the offending node",
     [("tests/report/rule_report.cpp", "the verdict of every target: counts, blockers once, exit codes, time"),
      (RULES + "advice.cpp", "the model that follows an advice keeps the rule, and all others that are errors there")]),
    ("available as JSON and as SARIF for code hosts, with exit codes for CI", ["tests/python/sarif.py"]),
    ("`first_target<model> == h16`, `blockers<model, h13>`, `diverges<model, h13, h17s>`",
     [(RULES + "acceptance.cpp", "the constants are the values of the run-time functions")]),
    ("Wrong shapes do not get that far; they fail on the operation's own line", ["tests/compile_fail/conv_groups.cpp"]),
    ("An operation that the chip lacks names its rewrite", ["tests/compile_fail/refused_trigonometry.cpp"]),
    ("[Every message of both compilers](docs/troubleshooting.md) is collected from the tests", [COMPILE_FAIL]),
    # What the engine's arithmetic costs.
    ("runs both and compares every node twice", [("tests/diff/diff.cpp", "the ceiling of a product: found at the product, inherited behind it")]),
    ("reproduces the curves that were measured on silicon", [("tests/numerics/curves.cpp", "curves: Fourier transforms")]),
    ("compares with double precision, names the first layer that breaks, in how many samples and why",
     [("tests/diff/wide_diff.cpp", "both arithmetics are fp16 and agree, and the square overflows in both"),
      ("tests/diff/wide_diff.cpp", "samples: how many are affected, and which is the worst")]),
    ("and what helps, each change run", [("tests/diff/remedies.cpp", "a square that overflows is held as a power of two less, or computed on the host")]),
    # What it proves.
    ("**No value overflows.**", [("tests/analysis/overflow.cpp", "where no rule of values is broken nothing overflows, and where one is something does")]),
    ("sound ranges follow for every result, for the squares and sums inside norms and lengths, and for every partial sum in the accumulator",
     [("tests/analysis/soundness.cpp", "and on the oracle of every generation"), ("tests/analysis/envelope.cpp", "the accumulator: sums of magnitudes against 32768")]),
    ("`conforms` fails where the promises permit an overflow, a zero divisor or an epsilon that is zero in fp16", ["tests/compile_fail/rules_values.cpp"]),
    ("the loader refuses weights that break theirs", [("tests/weights/generated.cpp", "statistics: the header holds for no file with one larger weight")]),
    ("**How many digits are left.**", [("tests/analysis/error_envelope.cpp", "random data inside the contracts: below the worst, and within a factor of two of the expected")]),
    ("`linear(x, scaled<8>(w))` is 120 times as accurate at K = 4096", [("tests/backend/scaled.cpp", "the engine's arithmetic gains what the pass expects, at K = 4096 more than a factor of ten")]),
    ("**What stays on the chip.**", [("tests/analysis/residency.cpp", None), (RULES + "residency.cpp", "the live set, told where it begins")]),
    # What there is.
    ("all of them on the CPU and in the oracle", [("tests/backend/cpu/cpu.cpp", "every operation has a kernel on the CPU and a model of the engine's arithmetic, at compile time too")]),
    ("59 more whose builders name the rewrite", ["tests/python/operations.py", "tests/compile_fail/refused_control.cpp"]),
    ("models of 2,000 operations and more", [("tests/readers/mil_text.cpp", "a program of 2,000 operations is read"), "tests/large_graphs.cpp"]),
    ("all 170 published design facts as [200 rules](docs/rules/index.md)", [(RULES + "coverage.cpp", "every fact is held somewhere"), (RULES + "documentation.cpp", "the README counts the rules")]),
    ("any rule can be raised to an error or waived", [("tests/report/rule_report.cpp", "a later target, a waived rule, an error by declaration")]),
    ("what [the vendor asks](docs/checks.md#what-the-vendor-asks)", [(RULES + "vendor.cpp", "each line of the vendor's guidance is told on request")]),
    ("958 ONNX operator cases pass and none fails", ["tests/conformance/onnx_cases.py", CONFORMANCE]),
    ("random shapes are checked against PyTorch in float64", ["tests/conformance/torch_cases.py"]),
    ("AVX2 and AVX-512 chosen at run time", [("tests/backend/cpu/levels.cpp", "cpu: the kernels of any instruction set of the machine, of no other")]),
    ("the same bits for any number of threads and on every compiler, flag and machine that was tried",
     ["tests/determinism/run.py", ("tests/backend/oracle/properties.cpp", "any number of threads gives the same bits")]),
    ("two backends, node by node: how far apart they are, and which rule of the arithmetic is responsible",
     [("tests/diff/diff.cpp", "the ceiling of a product: found at the product, inherited behind it")]),
    ("caches and sums that a program keeps between runs, on every backend",
     [("tests/backend/states.cpp", "an accumulator gives 1, 2, 3, 4 over four runs; its state is read, written and reset")]),
    ("models that one program cannot hold, cut where it costs least, with the bits of the whole",
     [("tests/backend/segmented/segmented.cpp", "random graphs, cut anywhere, have the bits of the whole")]),
    ("where the compiler proves that padding changes nothing", [("tests/backend/bucketed.cpp", "buckets: a padded sequence gives what a model of its length gives, on every backend")]),
    ("two doors, MIL text by `e5rt` and [netplists](docs/netplist_door.md) by the Objective-C runtime, each tested against a stand-in",
     [("tests/backend/engine/objc/program.cpp", "netplist door: the bits of the oracle, layer by layer and behind each other")]),
    ("timeouts and quarantine", [("tests/backend/engine/run_queue.cpp", "engine run queue: a slow run ends within its timeout, a run behind it is withdrawn at its own")]),
    ("pacing after failed compiles", [("tests/backend/engine/pacing.cpp", None)]),
    ("netplist 1.0.10 (XML, byte for byte what `plistlib` writes, or binary)", ["tests/python/plist.py", "tests/python/netplist.py"]),
    ("compressed weights byte for byte", [("tests/weights/formats.cpp", "int8 affine: one scale a row, and the bytes of the facts")]),
    ("`conforms` holds only for a model that can be written", [("tests/formats/mil.cpp", "mil: operations without a form are refused with their name and line"), "tests/compile_fail/rules_support.cpp"]),
    ("of other tools, in all their dialects", ["tests/python/corpus.py", ("tests/readers/mil_text.cpp", "constants are taken in every spelling")]),
    ("what cannot be read is refused with all reasons and places at once", [("tests/readers/mil_text.cpp", "all that is wrong with a file is said in one pass, with its place")]),
    ("models without their weights are judged by shapes and types", [("tests/readers/mil_compiled.cpp", "a file without its blobs has shapes, and its weights no values")]),
    ("read nothing outside their folder", ["tests/python/strangers.py", ("tests/readers/model_folder.cpp", "nothing is opened outside while links change under the reader")]),
    ("which chips take it and of every layer why not, as text, SARIF for CI or one HTML page", ["tests/python/command_report.py", "tests/python/command_verdicts.py", "tests/python/one_verdict.py"]),
    ("check, run, cost, optimize, compress, place, draw and convert files on NumPy arrays", ["tests/python/module.py", "tests/python/module_command.py"]),
    ("one header, one shared library", ["tests/c/main.c", "tests/c/plans.c"]),
    ("Debian's by CPack, a Homebrew formula", ["tests/package/debian.py"]),
    ("within a factor of 1.3 on nine of ten measurements that a fit did not see",
     [("tests/cost/residuals.cpp", "cost: unseen points are predicted within the limits that were set"),
      ("tests/cost/residuals.cpp", "cost: the interval holds nine of ten unseen points")]),
    ("names the costliest layer", ["tests/compile_fail/budget_exceeded.cpp"]),
    ("many calls over time ([timeline]", [("tests/cost/timeline.cpp", None)]),
    ("engine, GPU or CPU, layer by layer ([placement]", [(RULES + "device_placement_of.cpp", "a placement as a constant is the one at run time")]),
    ("a search over [rewrites](docs/rewrites.md) that compute the same, faster, each proven by running it", [("tests/rewrites/proof.cpp", "proof: every step of a search holds")]),
    ("[compression](docs/compression.md) under a bound on the loss", [("tests/compress/many_weights.cpp", "the bound holds for weights that are changed together, and some of them change")]),
    # What is known and how.
    ("Every rule, limit and constant carries its source and a mark", [(RULES + "conforms.cpp", "every rule has a record that says what it is"), (RULES + "coverage.cpp", "no record claims to be better known than its fact")]),
    ("where sources conflict, [both sides and our choice](docs/conflicts.md) are recorded", [(RULES + "measured_limits.cpp", "a limit carries the mark that it has on the target")]),
    ("The oracle reproduces every published probe that a consistent model can meet", [("tests/numerics/probe_register.cpp", None)]),
]

# Numbers that no test computes: what trained them or measured them is not run again.
RECORDED = ["The network classifies 99.70 % of 20,000 held-out images correctly"]
