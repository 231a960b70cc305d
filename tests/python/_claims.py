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
    ("Thirty images of digits, three backends, no Apple hardware", ["tests/python/shown_outputs.py"]),
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
    ("the first error says it all, and the rest merely repeat it", [COMPILE_FAIL]),
    ("The fact, the file and the nearest name follow in the same type", [COMPILE_FAIL]),
    # What the engine's arithmetic costs.
    ("runs both and compares every node twice", [("tests/diff/diff.cpp", "the ceiling of a product: found at the product, inherited behind it")]),
    ("once with each run on its own values, and once with that operation alone on identical operands",
     [("tests/diff/diff.cpp", "the ceiling of a product: found at the product, inherited behind it"), "tests/python/shown_outputs.py"]),
    ("is found by repeating the operation without that rule", [("tests/diff/diff.cpp", "tables, narrow sums and roundings are told apart")]),
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
    ("where nothing is refused the oracle of every generation stays finite, and of ten that are refused nine are seen to overflow",
     [("tests/analysis/overflow.cpp", "where no rule of values is broken nothing overflows, and where one is something does")]),
    ("the loader refuses weights that break theirs", [("tests/weights/generated.cpp", "statistics: the header holds for no file with one larger weight")]),
    ("**How many digits are left.**", [("tests/analysis/error_envelope.cpp", "random data inside the contracts: below the worst, and within a factor of two of the expected")]),
    ("the power of two that restores the accuracy is named",
     [("tests/analysis/error_envelope.cpp", "the recommended scale leaves a binade and gains what there is to gain"), "tests/compile_fail/precision_quantum.cpp"]),
    ("`linear(x, scaled<8>(w))` is 120 times as accurate at K = 4096", [("tests/backend/scaled.cpp", "the engine's arithmetic gains what the pass expects, at K = 4096 more than a factor of ten"),
      "tests/python/shown_outputs.py"]),
    ("**What stays on the chip.**", [("tests/analysis/residency.cpp", None), (RULES + "residency.cpp", "the live set, told where it begins")]),
    # What there is.
    ("all of them on the CPU and in the oracle", [("tests/backend/cpu/cpu.cpp", "every operation has a kernel on the CPU and a model of the engine's arithmetic, at compile time too")]),
    ("59 more whose builders name the rewrite", ["tests/python/operations.py", "tests/compile_fail/refused_control.cpp"]),
    ("models of 2,000 operations and more", [("tests/readers/mil_text.cpp", "a program of 2,000 operations is read"), "tests/large_graphs.cpp"]),
    ("all 170 published design facts as [200 rules](docs/rules/index.md)", [(RULES + "coverage.cpp", "every fact is held somewhere"), (RULES + "documentation.cpp", "the README counts the rules")]),
    ("GPT-2, Llama, Qwen2, Qwen3, Mistral, Gemma 2 and 3 from the folder that they are published in",
     ["tests/python/language_models.py", ("tests/models/configuration.cpp", "published configurations are read")]),
    ("or from a GGUF file", [("tests/models/gguf_checkpoint.cpp", "the weights of a GGUF file of each family are those of the graph")]),
    ("tokens a second and joules a token from the configuration alone",
     [("tests/cost/language_figures.cpp", "figures of a language model follow from its configuration")]),
    ("text in chunks, caches, sampling and drafts that change no token",
     [("tests/decoder/decoder.cpp", "a decoder gives the logits of double precision, however a text is cut into chunks, steps and programs"),
      ("tests/decoder/generation.cpp", "drafts of any quality change no token"), "tests/python/command_generate.py"]),
    ("any rule can be raised to an error or waived", [("tests/report/rule_report.cpp", "a later target, a waived rule, an error by declaration")]),
    ("`conforms<model, h13>`, `conforms<model, macs>`, `conforms<model, from<h14>>`, your own target", [("tests/pages/verdicts.cpp", None)]),
    ("what [an older system](docs/checks.md) lacks (`--system macos14`)", ["tests/python/command_verdicts.py"]),
    ("what [the vendor asks](docs/checks.md#what-the-vendor-asks)", [(RULES + "vendor.cpp", "each line of the vendor's guidance is told on request")]),
    ("958 ONNX operator cases pass and none fails", ["tests/conformance/onnx_cases.py", CONFORMANCE]),
    ("random shapes are checked against PyTorch in float64", ["tests/conformance/torch_cases.py"]),
    ("AVX2 and AVX-512 chosen at run time", [("tests/backend/cpu/levels.cpp", "cpu: the kernels of any instruction set of the machine, of no other")]),
    ("by generation, each with its evidence and each a parameter that you can replace",
     [("tests/backend/oracle/properties.cpp", "a user's own parameters reach the kernels: the order of a sum at the ceiling")]),
    ("the same bits for any number of threads and on every compiler, flag and machine that was tried",
     ["tests/determinism/run.py", ("tests/backend/oracle/properties.cpp", "any number of threads gives the same bits")]),
    ("two backends, node by node: how far apart they are, and which rule of the arithmetic is responsible",
     [("tests/diff/diff.cpp", "the ceiling of a product: found at the product, inherited behind it")]),
    ("caches and sums that a program keeps between runs, on every backend",
     [("tests/backend/states.cpp", "an accumulator gives 1, 2, 3, 4 over four runs; its state is read, written and reset")]),
    ("on the engine one buffer for two ports; read, written through a mask at any position, reset",
     [("tests/backend/states.cpp", "a masked write keeps infinities and all rows but the marked one; -0 only where select itself does")]),
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
    ("graph, weights, and each node's line in the file",
     [("tests/readers/mil_text.cpp", "nodes say the file and the line of their statement"),
      ("tests/readers/netplist.cpp", "a file is read with the weight files beside it, XML or binary, and a node knows its line")]),
    ("what cannot be read is refused with all reasons and places at once", [("tests/readers/mil_text.cpp", "all that is wrong with a file is said in one pass, with its place")]),
    ("models without their weights are judged by shapes and types", [("tests/readers/mil_compiled.cpp", "a file without its blobs has shapes, and its weights no values")]),
    ("read nothing outside their folder", ["tests/python/strangers.py", ("tests/readers/model_folder.cpp", "nothing is opened outside while links change under the reader")]),
    ("which chips take it and of every layer why not, as text, SARIF for CI or one HTML page", ["tests/python/command_report.py", "tests/python/command_verdicts.py", "tests/python/one_verdict.py"]),
    ("held to networks of torch.nn in float64; verdict and cost from the name alone ([page](docs/image_networks.md))", ["tests/python/image_networks.py", "tests/python/vision_networks.py", "tests/python/gallery.py"]),
    ("with padding that changes nothing and embeddings whose products are cosines, held to networks of torch.nn in float64 ([page](docs/text_networks.md))", ["tests/python/text_networks.py"]),
    ("log-mel spectra, a sound to tokens with caches and times in order, held to torch.nn in float64 ([page](docs/speech_networks.md))",
     ["tests/python/speech_networks.py", ("tests/models/speech_networks.cpp", "log-mel spectra are those of a direct transform"), ("tests/decoder/transcription.cpp", "times of a transcript: what may follow what")]),
    ("as functions over handles, batched, held to double precision in the engine's arithmetic ([how exact, to which n](docs/science.md))",
     [("tests/linalg/factorizations.cpp", "the product of the factors is the matrix to a few roundings, whatever the condition"),
      ("tests/linalg/factorizations.cpp", "a batch is its systems one by one, to the bit"),
      ("tests/linalg/iterations.cpp", "each step shrinks the errors by what theory says"),
      ("tests/linalg/decompositions.cpp", "rotations of Jacobi give all eigenvalues and singular values"),
      ("tests/linalg/science_page.cpp", "the page of science has the errors of the kernels")]),
    ("of ONNX, MIL text, netplists and language models, without C++ ([sessions](docs/command.md))", ["tests/python/command.py"]),
    ("losses, optimizers and a whole step as one program, from any model, typed or of a file",
     [("tests/training/losses.cpp", "each loss and its derivative are their definitions"),
      ("tests/training/optimizers.cpp", "each optimizer takes the steps of its definition"),
      ("tests/training/losses.cpp", "a typed model trains with momentum, and its states have names of their own")]),
    ("checkpoints that go on with the same bits", [("tests/trainer/trainer.cpp", "a training that was killed and goes on has the bits of one that was not")]),
    ("`anemone train net.onnx`, `anemone.Trainer`, `ane::trainer`",
     ["tests/python/command_train.py", "tests/python/module_train.py",
      ("tests/trainer/trainer.cpp", "a network learns samples, and the trained weights run as a model")]),
    ("check, run, cost, optimize, compress, train, place, draw and convert files on NumPy arrays", ["tests/python/module.py", "tests/python/module_command.py"]),
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
    # Use it.
    ("`add_subdirectory` and FetchContent offer both", ["tests/package/check.cmake"]),
    ("the compiler names it where it is missing", ["tests/python/left_out.py"]),
    ("clang 16 judges the code for `arm64-apple-macos15` with stubbed headers, without linking", ["tests/apple/syntax.py"]),
    # What is known and how.
    ("Every rule, limit and constant carries its source and a mark", [(RULES + "conforms.cpp", "every rule has a record that says what it is"), (RULES + "coverage.cpp", "no record claims to be better known than its fact")]),
    ("where sources conflict, [both sides and our choice](docs/conflicts.md) are recorded", [(RULES + "measured_limits.cpp", "a limit carries the mark that it has on the target")]),
    ("The oracle reproduces every published probe that a consistent model can meet", [("tests/numerics/probe_register.cpp", None)]),
]

# Numbers of README.md, and the page that has them from a test or a benchmark: the groups of both patterns are the same.
NUMBERS = [
    (r"\| (\d+) operations over typed tensors", "docs/operations.md", r"All (\d+) operations"),  # tests/catalogue/operations_page.cpp
    (r"on the (\d+) targets", "docs/targets.md", r"(\d+) architectures"),  # tests/targets
    (r"(\d+) ONNX operator cases pass", "docs/conformance.md", r"cases, \*\*(\d+) pass\*\*, 0 fail"),  # tests/conformance/page.py
    (r"classifies (99\.70) % of 20,000", "examples/digits/README.md", r"\| both \| 20 000 \| 19 940 \| (99\.70) % \|"),
    (r"(99\.45) % when the fonts are unseen", "examples/digits/README.md", r"never seen \| 10 000 \| 9 945 \| (99\.45) % \|"),
    (r"is (12\d) times as accurate at K = 4096", "docs/examples/rescaling.md", r"\n +4096 .* (12\d)\.\d\n"),  # shown_outputs.py
    (r"takes (thirty) times as long on the CPU", "docs/getting_started.md", r"about (thirty) times"),
]

# Numbers of README.md that count the rows of a table.
ROWS = [
    (r"and (\d+) more whose builders name the rewrite", "docs/rules/refused_operations.md", r"^\| `"),
    (r"all (\d+) published design facts", "tests/facts/rules.csv", r"^R\d+;"),
    (r"on the (\d+) targets", "tests/facts/targets.csv", r"^[A-Z]\w*;"),
]

# Numbers that no test computes: what trained them or measured them is not run again.
RECORDED = ["The network classifies 99.70 % of 20,000 held-out images correctly"]
