"""What `anemone check` and `draw` tell: findings from weights and from ranges, in JSON, SARIF and one page of HTML;
drawings that fold what repeats itself.

Expected figures are sums done by hand: the filters of examples/reading/classifier.mil have six ones in each row, so that
pixels up to p make sums up to 6 p; the accumulator ends at 32768 (R056)."""

import html.parser
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import sarif
from _arrays import npy, npz
from _harness import PATIENCE, ROOT

PROGRAM = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", "build"), "bin", "anemone").resolve()
CEILING = "contraction_may_reach_ceiling"


class Page(html.parser.HTMLParser):
    """Tags that close, ids that are there once, nothing from outside, and the words of each cell."""

    EMPTY = {"meta", "br", "wbr", "img"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.rows, self.scripts = [], [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
        self.scripts += tag == "script"
        self.note(attributes)
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.note(attributes)

    def note(self, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "data", "action") or name.startswith("on"):
                self.links.append((name, value))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise ValueError(f"</{tag}> ends nothing")

    def handle_data(self, data):
        if "td" in self.open:
            self.rows[-1][-1] += data


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.directory.name)
        for each in (ROOT / "examples" / "reading").iterdir():
            if each.suffix != ".cpp":
                (cls.folder / each.name).write_bytes(each.read_bytes())

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def call(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def json(self, *arguments, code=0):
        return sarif.strict(self.call(*arguments, "--format", "json", code=code).stdout.encode())

    def pixels(self, name, values):
        data = struct.pack("<16f", *values, *[0.0] * (16 - len(values)))
        (self.folder / name).write_bytes(npz({"image": npy("<f4", "(1, 1, 4, 4)", data)}))
        return name


def found(document, rule):
    return [v for row in document["verdicts"] for v in row["violations"] if v["rule"] == rule]


class Ranges(Case):
    def check(self, *ranges, code=0, more=()):
        options = [word for each in ranges for word in ("--ranges", each)]
        return self.json("check", "classifier.mil", "--targets", "h13", *options, *more, code=code)

    def test_a_declared_range_decides(self):
        self.assertEqual(found(self.check(), CEILING), [])
        self.assertEqual(found(self.check("image=-1,1"), CEILING), [])
        self.assertEqual(found(self.check("image=-5000,5000", code=1), CEILING), [])  # 16 sums of 30000 leave fp16
        self.assertEqual(found(self.check("image=-680,680"), "value_may_leave_half_precision"), [])

    def test_a_layer_that_is_seen_to_overflow_is_an_error(self):
        document = self.check("image=-20000,20000", code=1)
        seen = found(document, CEILING)
        self.assertEqual([(v["operation"], v["got"], v["limit"]) for v in seen], [("conv2d", 120000, 32768)])
        self.assertEqual(seen[0]["level"], "error")
        points = [o["message"] for o in document["observations"] if o["id"] == "values.overflow"]
        self.assertEqual(len(points), 1)
        self.assertRegex(points[0], r"^conv2d .* leaves fp16 with every input at its largest$")
        self.assertEqual(found(self.check("image=-20000,20000", more=["--waive", "R056"]), CEILING), [])

    def test_bounds_alone_are_warnings_and_errors_on_request(self):
        measured = self.pixels("wide.npz", [20000, -20000])
        self.assertEqual([v["level"] for v in found(self.check(measured), CEILING)], ["warning"])
        self.assertEqual(len(found(self.check(measured, code=1, more=["--error", "R056"]), CEILING)), 1)

    def test_a_measured_range_decides(self):
        self.assertEqual(found(self.check(self.pixels("dark.npz", [5000])), CEILING), [])
        seen = found(self.check(self.pixels("bright.npz", [9000, -1])), CEILING)
        self.assertEqual([v["got"] for v in seen], [54000])
        both = found(self.check("dark.npz", "bright.npz"), CEILING)  # the wider one
        self.assertEqual([v["got"] for v in both], [54000])

    def test_data_that_are_not_finite_are_named(self):
        for name, value, words in (("nan.npz", float("nan"), "NaN enters as infinity"),
                                   ("inf.npz", float("-inf"), "not finite"), ("far.npz", 1e6, "65504")):
            document = self.check(self.pixels(name, [1, 2, value]))
            seen = [o for o in document["observations"] if o["id"] == "data.not_finite"]
            self.assertEqual(len(seen), 1)
            self.assertIn("element 2 of 'image' in " + name, seen[0]["message"])
            self.assertIn(words, seen[0]["message"])
            self.assertEqual(seen[0]["file"], name)

    def test_ranges_that_are_none(self):
        (self.folder / "other.npy").write_bytes(npy("<f4", "(1,)", struct.pack("<f", 1)))
        (self.folder / "empty.npz").write_bytes(npz({"image": npy("<f4", "(0,)", b"")}))
        for wrong, words in (("nothing=0,1", "image"), ("image=1,0", "from 1 to 0"), ("image=-1e9,1e9", "65504"),
                             ("image=nan,1", "nan"), ("image=1", "1"), ("image=1,2,3", ""), ("missing.npz", "missing.npz"),
                             ("other.npy", "inputs are: image"), ("classifier.mil", "classifier.mil"), ("=", "")):
            done = self.call("check", "classifier.mil", "--ranges", wrong, code=2)
            self.assertIn(words, done.stderr)
        self.check("empty.npz")  # nothing measured, nothing promised

    def test_cost_and_residency_of_each_target(self):
        row = self.check()["verdicts"][0]
        self.assertEqual(row["bound"], "dispatch")
        self.assertGreater(row["traffic"], 0)
        self.assertEqual(row["residency"]["largest"], 2 * 4 * 4 * 2)  # two channels of 4x4 in fp16
        self.assertEqual(row["residency"]["streamed"], 0)
        text = self.call("check", "classifier.mil", "--targets", "h13").stdout
        self.assertRegex(text, r"dispatch +\S+ kB +64 B")

    def test_many_layers_of_one_rule_are_counted(self):
        body = "".join(f"        tensor<fp16, [1, 3]> v{i + 1} = relu(x = v{i})[name = string(\"v{i + 1}\")];\n"
                       for i in range(20))
        (self.folder / "rows.mil").write_text("program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 3]> v0) {\n" +
                                              body + "    } -> (v20);\n}\n")
        text = self.call("check", "rows.mil", "--targets", "h13").stdout
        self.assertEqual(len(re.findall(r"^warning: .*R103", text, re.MULTILINE)), 3)  # the input and 20 layers
        self.assertRegex(text, r"(?m)^18 more of width_is_not_a_granule \[R103\]: #\d+")
        text = self.call("check", "rows.mil", "--targets", "h13", "--all").stdout
        self.assertEqual(len(re.findall(r"^warning: relu.*R103", text, re.MULTILINE)), 20)


class Values(Case):
    def check(self, file, *ranges, code=0, targets="macs"):
        options = [word for each in ranges for word in ("--ranges", each)]
        return self.json("check", ROOT / "tests" / "rules" / "cases" / file, "--targets", targets, *options, code=code)

    def test_a_result_beyond_fp16(self):
        seen = found(self.check("overflow_scale.onnx", "x=-400,400", code=1, targets="all"), "value_may_leave_half_precision")
        self.assertEqual({(v["operation"], v["got"], v["limit"], v["level"]) for v in seen}, {("mul", 120000, 65504, "error")})
        self.assertEqual(len(seen), 28)
        self.assertEqual(found(self.check("overflow_scale.onnx", "x=-218,218"), "value_may_leave_half_precision"), [])

    def test_squares_inside_a_norm(self):
        seen = found(self.check("overflow_layer_norm.onnx", "x=-310,310", code=1), "inner_value_may_leave_half_precision")
        self.assertEqual({(v["operation"], v["limit"], v["level"]) for v in seen}, {("layer_norm", 65504, "error")})
        self.assertTrue(all(310 ** 2 < v["got"] <= 620 ** 2 for v in seen))

    def test_a_divisor_that_may_be_zero(self):
        document = self.check("zero_by_zero.onnx", "x=-1,1", code=1)
        self.assertEqual({v["level"] for v in found(document, "divisor_may_be_zero")}, {"error"})

    def test_a_sum_of_exponentials_is_positive(self):
        document = self.check("log_of_sum.mil", "x=0,8", code=1)  # for its cumsum, which the compiler has not
        self.assertEqual(found(document, "logarithm_of_zero"), [])


    def test_a_files_own_layers_are_judged_and_shown(self):
        cases = ROOT / "tests" / "rules" / "cases"
        for file, shape, value, right in (("softplus_native.mil", (1, 10), 1000.0, 1000.0),
                                          ("logsumexp_native.mil", (1, 32, 8, 8), 8.0, 8 + math.log(32))):
            seen = found(self.check(file), "own_layer_fails")
            self.assertEqual({(v["limit"], v["level"]) for v in seen}, {(11, "warning")})
            self.assertEqual(found(self.check(file, "x=-9,7"), "own_layer_fails"), [])
            data = struct.pack(f"<{math.prod(shape)}f", *[value] * math.prod(shape))
            (self.folder / "x.npz").write_bytes(npz({"x": npy("<f4", str(shape), data)}))
            values = {}
            for backend in ("cpu", "oracle:h17", "oracle:h17:safe"):
                text = self.call("run", cases / file, "--input", "x.npz", "--backend", backend).stdout
                values[backend] = float(re.search(r"from (\S+) to", text)[1])
            self.assertEqual(values["oracle:h17"], 0)
            for safe in ("cpu", "oracle:h17:safe"):
                self.assertLess(abs(values[safe] / right - 1), 0.01)
            self.assertIn("x", self.call("diff", cases / file, "--input", "x.npz", "--target", "h17", code=1).stdout)
            wide = ("diff", cases / file, "--reference", "f64", "--data", "x.npz", "--backend")
            self.assertIn("beyond the bound", self.call(*wide, "oracle:h17", code=1).stdout)
            self.call(*wide, "oracle:h17:safe")
            self.call("convert", cases / file, "--to", "mil", "-o", "written")
            written = self.json("check", "written", "--targets", "h17")
            self.assertEqual(found(written, "own_layer_fails"), [])


class Files(Case):
    def test_mil_that_is_legal_in_other_words_only(self):
        """R124: a reduction times zero fails, which lowering would write otherwise."""
        lines = ("tensor<int32, [2]> ax = const()[name = string(\"ax\"), val = tensor<int32, [2]>([2, 3])];",
                 "bool kd = const()[name = string(\"kd\"), val = bool(true)];",
                 "tensor<fp16, [1, 8, 1, 1]> s = reduce_sum(x = x, axes = ax, keep_dims = kd)[name = string(\"s\")];",
                 "tensor<fp16, [1, 8, 1, 1]> y = mul(x = s, y = fp16(0x0p+0))[name = string(\"y\")];")
        (self.folder / "zero.mil").write_text("program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 8, 8, 8]> x) {\n" +
                                              "\n".join(lines) + "\n    } -> (y);\n}\n")
        document = self.json("check", "zero.mil", "--targets", "h13..h14", code=1)
        seen = [o for o in document["observations"] if o["id"] == "file.refused"]
        self.assertEqual([(o["line"], o["level"]) for o in seen], [(7, "error")])
        self.assertEqual({row["accepted"] for row in document["verdicts"]}, {False})
        self.call("convert", "zero.mil", "--to", "mil", "-o", "other")
        self.assertTrue(self.json("check", "other", "--targets", "h13..h14")["accepted"])
        self.assertIn("(R124) (all 4)", seen[0]["message"])
        self.assertEqual([o for o in self.json("check", "classifier.mil")["observations"] if o["id"] == "file.refused"], [])


class Sarif(Case):
    def test_the_log_is_what_the_standard_requires(self):
        self.pixels("bad.npz", [float("nan")])
        for more in ([], ["--ranges", "bad.npz"], ["--ranges", "image=-20000,20000"]):
            overflows = "image=-20000,20000" in more
            done = self.call("check", "classifier.mil", "--targets", "macs", "--format", "sarif", *more, code=int(overflows))
            log = sarif.strict(done.stdout.encode())
            sarif.Sarif(self).log(log)
            rules = {r["ruleId"] for r in log["runs"][0]["results"]}
            self.assertIn("file.note", rules)
            self.assertEqual("data.not_finite" in rules, "bad.npz" in more)
            self.assertEqual("R056." + CEILING in rules, overflows)
            self.assertEqual("values.overflow" in rules, overflows)


    def test_the_log_has_what_is_found_in_json(self):
        """Of weights whose values decide: 64 of 2^-10 make sums that slices hold, of products that are small."""
        data = struct.pack("<256e", *[2 ** -10] * 256)
        head = struct.pack("<II", 1, 2).ljust(64, b"\0") + struct.pack("<IIQQ", 0xDEADBEEF, 1, len(data), 128).ljust(64, b"\0")
        (self.folder / "small.bin").write_bytes(head + data)
        (self.folder / "small.mil").write_text("""program(1.3)
{
    func main<ios18>(tensor<fp16, [1, 64]> x) {
        tensor<fp16, [4, 64]> w = const()[name = string("w"), val = tensor<fp16, [4, 64]>(BLOBFILE(path = string("@model_path/small.bin"), offset = uint64(64)))];
        tensor<fp16, [1, 4]> s = linear(x = x, weight = w);
        tensor<fp16, [1, 2]> y = slice_by_index(x = s, begin = [0, 1], end = [1, 3], stride = [1, 1], begin_mask = [false, false], end_mask = [false, false], squeeze_mask = [false, false]);
    } -> (y);
}
""")
        call = ["check", "small.mil", "--targets", "h13", "--ranges", "x=-1,1", "--format"]
        document, log = (json.loads(self.call(*call, each).stdout) for each in ("json", "sarif"))
        rules = sorted(v["rule"] for v in document["verdicts"][0]["violations"])
        self.assertEqual(rules, ["products_are_near_the_quantum", "width_is_not_a_granule", "width_is_not_a_granule"])
        told = sorted(r["ruleId"].split(".")[1] for r in log["runs"][0]["results"] if "properties" in r)
        self.assertEqual(told, rules)


class Html(Case):
    def test_a_page_with_hostile_names(self):
        name = "<script>alert(1)<\\script>&\"'.mil"
        (self.folder / name).write_bytes((self.folder / "classifier.mil").read_bytes())
        text = self.call("check", name, "--format", "html", "--ranges", self.pixels("wide.npz", [20000, -20000])).stdout
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual(page.links, [])
        self.assertEqual(page.scripts, 1)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertIn("model", page.ids)
        self.assertIn("roofline-h13", page.ids)
        self.assertNotRegex(text, r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)")
        for sheet in re.findall(r"<svg[^>]* id=\"([^\"]+)\".*?<style>(.*?)</style>", text, re.DOTALL):
            for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@media[^{]*\{", "", sheet[1])):
                for selector in selectors.split(","):
                    self.assertEqual(selector.split()[0], "#" + sheet[0])
        self.assertTrue(any(row[:1] == ["warning"] and "sums of 120000" in row[2] for row in page.rows if len(row) > 2))
        layers = [row for row in page.rows if len(row) == 7]
        self.assertEqual([row[1] for row in layers], ["conv2d", "abs", "reduce_sum", "reshape", "mul", "softmax"])
        self.assertEqual({row[5] for row in layers}, {"legal"})

    def test_a_page_of_1400_pixels_and_a_phone(self):
        text = self.call("check", "classifier.mil", "--format", "html").stdout
        table = re.search(r'<table class="many">(.*?)</table>', text, re.DOTALL)[1]
        rows = [re.findall(r'<td data-head="([^"]*)"([^>]*)>(.*?)</td>', row) for row in table.split("<tr>")[2:]]
        heads = re.findall(r"<th>(.*?)</th>", table)
        self.assertEqual(len(rows), 11)
        self.assertTrue(all([cell[0] for cell in row] == heads for row in rows))
        pixels = 0.0  # of characters of 0.6 em, where a cell that breaks has its longest word, and what stands around them
        for i, head in enumerate(heads):
            cells = [cell[2] if "number" in cell[1] or "class" in cell[1] else max(cell[2].split(), key=len, default="") for cell in (row[i] for row in rows)]
            pixels += 13 * 0.6 * max(map(len, [max(head.split(), key=len), *cells])) + 2 * 0.35 * 16
        self.assertLess(pixels, 1400 - 2 * 1.2 * 16)
        self.assertRegex(text, r"@media \(max-width: 48rem\)")
        self.assertRegex(text, r"td::before \{ content: attr\(data-head\)")

    @unittest.skipUnless(shutil.which("chromium") and os.environ.get("ANEMONE_CHROMIUM"), "ANEMONE_CHROMIUM is not set")
    def test_a_click_sorts(self):
        text = self.call("check", "classifier.mil", "--format", "html").stdout
        click = "<script>document.querySelectorAll('th')[6].click();</script></body>"  # by estimate
        (self.folder / "page.html").write_text(text.replace("</body>", click))
        dump = subprocess.run(["chromium", "--headless", "--no-sandbox", "--dump-dom", self.folder / "page.html"],
                              capture_output=True, text=True, timeout=PATIENCE).stdout
        times = [float(row[6].split()[0]) for row in Page(dump).rows if len(row) == 16]
        self.assertEqual(len(times), 11)
        self.assertEqual(times, sorted(times))


class Unreadable(Case):
    def test_every_format_tells_what_no_graph_is_made_of(self):
        (self.folder / "odd.mil").write_text("program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
                                             "        tensor<fp16, [1, 4]> y = frobnicate(x = x)[name = string(\"y\")];\n"
                                             "    } -> (y);\n}\n")
        texts = {f: self.call("check", "odd.mil", "--format", f, code=1).stdout for f in ("text", "json", "sarif", "html")}
        for text in texts.values():
            self.assertIn("frobnicate", text)
        document = json.loads(texts["json"])
        self.assertFalse(document["accepted"])
        self.assertEqual([o["line"] for o in document["observations"]], [4])
        result, = json.loads(texts["sarif"])["runs"][0]["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("file.unreadable", "error"))
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 4)
        self.assertEqual([row for row in Page(texts["html"]).rows if len(row) == 3][-1][0], "4")


class Draw(Case):
    def draw(self, *arguments):
        return self.call("draw", *arguments).stdout

    def test_a_chain_of_equal_blocks(self):
        lines = ""
        for i in range(250):
            lines += (f"        tensor<fp16, [1, 64]> a{i} = tanh(x = v{i})[name = string(\"a{i}\")];\n"
                      f"        tensor<fp16, [1, 64]> v{i + 1} = add(x = a{i}, y = v{i})[name = string(\"v{i + 1}\")];\n")
        (self.folder / "chain.mil").write_text("program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 64]> v0) {\n" +
                                               lines + "    } -> (v250);\n}\n")
        boxes = lambda text: len(re.findall(r"<g class=\"box [a-z]+\" id=", text))
        self.assertEqual(boxes(self.draw("chain.mil", "--collapse", "none")), 502)
        folded = self.draw("chain.mil")
        self.assertEqual(boxes(folded), 5)  # input, tanh, add, the others, output
        self.assertIn("249 more of #1\u20132", folded)
        self.assertIn("500 operations", folded)
        self.assertEqual(self.draw("classifier.mil"), self.draw("classifier.mil", "--collapse", "none"))
        for wrong in ("0", "-1", "all", "2x", "99999999999999"):
            self.assertIn("--collapse", self.call("draw", "chain.mil", "--collapse", wrong, code=2).stderr)


if __name__ == "__main__":
    if not PROGRAM.exists():
        print("the command was not built")
        sys.exit(77)
    unittest.main()
