#!/usr/bin/env python3
"""Checks the JSON and SARIF reports with Python's own reader, and the program of examples/verdicts from outside.

What SARIF 2.1.0 requires is written down here by hand, from the standard's text: which properties an object must have,
which it may have, and of what type they are.
"""

import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import unittest
import urllib.parse

from _harness import PATIENCE

BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", "build"))
SOURCE = pathlib.Path(os.environ.get("ANEMONE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PROGRAM = BUILD / "bin" / "write_sarif"
VERDICTS = os.environ.get("ANEMONE_VERDICTS_PROGRAM", str(BUILD / "bin" / "example_verdicts"))

MARKS = {"measured", "decompiled", "predicted"}
SEVERITIES = {"reject", "hazard", "warn", "note"}


def reject_constant(name):
    raise ValueError(f"{name} is no JSON")


def reject_twins(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError(f"a key stands twice: {[key for key, _ in pairs]}")
    return dict(pairs)


def strict(text):
    """Python's reader, without its extensions: no NaN, no infinity, no key twice; UTF-8 only."""
    return json.loads(text.decode("utf-8"), parse_constant=reject_constant, object_pairs_hook=reject_twins)


def is_absolute(uri):
    return re.match(r"[a-z][a-z0-9+.-]*:", uri) is not None


def is_uri(uri):
    return re.fullmatch(r"(?:[A-Za-z0-9._~/:?#@!$&'()*+,;=-]|%[0-9A-F]{2}|\[|\])+", uri) is not None


class Sarif:
    """The parts of the standard that a log of ours uses; the number is the section."""

    def __init__(self, test):
        self.test = test

    def keys(self, value, required, optional=()):
        self.test.assertIsInstance(value, dict)
        self.test.assertLessEqual(set(required), set(value))
        self.test.assertLessEqual(set(value), set(required) | set(optional))

    def message(self, value):  # 3.11: a text, braces are doubled or hold a number
        self.keys(value, ["text"])
        self.test.assertIsInstance(value["text"], str)
        self.test.assertNotEqual(value["text"], "")
        rest = value["text"].replace("{{", "").replace("}}", "")
        self.test.assertNotRegex(rest, r"[{}]")

    def log(self, value):  # 3.13
        self.keys(value, ["version", "runs"], ["$schema"])
        self.test.assertEqual(value["version"], "2.1.0")
        self.test.assertTrue(value["$schema"].endswith("sarif-schema-2.1.0.json"))
        self.test.assertIsInstance(value["runs"], list)
        for run in value["runs"]:
            self.run(run)

    def run(self, value):  # 3.14
        self.keys(value, ["tool", "results"], ["originalUriBaseIds", "columnKind"])
        self.keys(value["tool"], ["driver"])
        if "columnKind" in value:
            self.test.assertIn(value["columnKind"], ["utf16CodeUnits", "unicodeCodePoints"])
        bases = value.get("originalUriBaseIds", {})
        for base in bases.values():  # 3.14.14: absolute, with a slash at the end
            self.keys(base, ["uri"])
            self.test.assertTrue(is_absolute(base["uri"]) and base["uri"].endswith("/"), base["uri"])
        rules = self.driver(value["tool"]["driver"])
        self.test.assertIsInstance(value["results"], list)
        for result in value["results"]:
            self.result(result, rules, bases)

    def driver(self, value):  # 3.19
        self.keys(value, ["name", "version", "semanticVersion", "rules"])
        self.test.assertEqual(value["name"], "Anemone")
        self.test.assertRegex(value["semanticVersion"], r"^\d+\.\d+\.\d+$")
        ids = [rule["id"] for rule in value["rules"]]
        self.test.assertEqual(len(ids), len(set(ids)))
        for rule in value["rules"]:  # 3.49
            if "properties" not in rule:  # what is observed beside the rules
                self.keys(rule, ["id", "name", "shortDescription", "help", "defaultConfiguration"])
                self.test.assertRegex(rule["id"], r"^(file|weights|data|values)\.\w+$")
                self.message(rule["shortDescription"])
                self.message(rule["help"])
                continue
            self.keys(
                rule,
                ["id", "name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"],
                ["helpUri"],
            )
            self.test.assertTrue(rule["id"].endswith("." + rule["name"]))
            self.test.assertNotRegex(rule["id"], r"\s")
            for text in ("shortDescription", "fullDescription", "help"):
                self.message(rule[text])
            if "helpUri" in rule:  # 3.49.12
                self.test.assertTrue(is_absolute(rule["helpUri"]) and is_uri(rule["helpUri"]), rule["helpUri"])
                self.test.assertTrue(rule["helpUri"].endswith("/" + rule["name"] + ".md"))
            self.keys(rule["defaultConfiguration"], ["level"])
            self.test.assertIn(rule["properties"]["severity"], SEVERITIES)
            if rule["id"].startswith("model."):  # no rule of the engine's
                self.keys(rule["properties"], ["severity"])
                continue
            self.test.assertIn(rule["defaultConfiguration"]["level"], ["none", "note", "warning", "error"])
            self.test.assertIn(rule["properties"]["mark"], MARKS)
        return ids

    def result(self, value, rules, bases):  # 3.27
        self.keys(value, ["ruleId", "ruleIndex", "level", "message", "locations"], ["properties"])
        self.test.assertIs(type(value["ruleIndex"]), int)
        self.test.assertEqual(rules[value["ruleIndex"]], value["ruleId"])
        self.test.assertIn(value["level"], ["note", "warning", "error"])
        self.message(value["message"])
        if "properties" not in value:  # an observation: in a file or nowhere
            self.test.assertLessEqual(len(value["locations"]), 1)
            for location in value["locations"]:
                self.keys(location, ["physicalLocation"])
                self.physical(location["physicalLocation"], bases)
            return
        self.test.assertEqual(len(value["locations"]), 1)
        location = value["locations"][0]  # 3.28
        self.keys(location, ["logicalLocations"], ["physicalLocation"])
        for logical in location["logicalLocations"]:  # 3.33
            self.keys(logical, ["name", "kind"])
            self.test.assertNotEqual(logical["name"], "")
        if "physicalLocation" in location:
            self.physical(location["physicalLocation"], bases)
        properties = value["properties"]
        if value["ruleId"].startswith("model."):
            self.keys(properties, ["operation", "node"])
            return
        self.keys(properties, ["operation", "node", "target", "targets", "got", "limit", "mark"])
        self.test.assertEqual(properties["target"], properties["targets"][0])
        self.test.assertIs(type(properties["got"]), int)
        self.test.assertIs(type(properties["limit"]), int)
        self.test.assertIn(properties["mark"], MARKS)

    def physical(self, value, bases):  # 3.29
        self.keys(value, ["artifactLocation"], ["region"])
        artifact = value["artifactLocation"]  # 3.4
        self.keys(artifact, ["uri"], ["uriBaseId"])
        self.test.assertTrue(is_uri(artifact["uri"]), artifact["uri"])
        if "uriBaseId" in artifact:
            self.test.assertFalse(is_absolute(artifact["uri"]) or artifact["uri"].startswith("/"))
            self.test.assertNotIn("..", artifact["uri"].split("/"))
            self.test.assertIn(artifact["uriBaseId"], bases)
        if "region" in value:  # 3.30: lines count from 1
            self.keys(value["region"], ["startLine"])
            self.test.assertIs(type(value["region"]["startLine"]), int)
            self.test.assertGreaterEqual(value["region"]["startLine"], 1)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.directory.name)
        subprocess.run([PROGRAM, cls.directory.name], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def read(self, name):
        return strict((self.place / name).read_bytes())

    def test_logs_are_what_the_standard_requires(self):
        names = sorted(p.name for p in self.place.glob("*.sarif"))
        self.assertEqual(names, ["empty.sarif", "hostile.sarif", "observed.sarif", "ordinary.sarif", "strict.sarif",
                                 "tied.sarif"])
        for name in names:
            with self.subTest(log=name):
                Sarif(self).log(self.read(name))

    def test_a_kernel_that_is_too_wide(self):
        run = self.read("ordinary.sarif")["runs"][0]
        self.assertEqual(run["originalUriBaseIds"], {"SRCROOT": {"uri": "file:///src/"}})
        found = [r for r in run["results"] if r["ruleId"] == "R030.kernel_width_exceeds"]
        self.assertEqual(len(found), 1)
        result = found[0]
        self.assertEqual(result["level"], "error")
        self.assertEqual(
            result["locations"][0]["physicalLocation"],
            {
                "artifactLocation": {"uri": "models/model.cpp", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 41},
            },
        )
        self.assertEqual(result["locations"][0]["logicalLocations"][0]["name"], "stem")
        self.assertEqual(result["properties"]["targets"], ["h13", "h13g", "h14", "h14g", "h15", "h15g"])
        self.assertEqual((result["properties"]["got"], result["properties"]["limit"]), (14, 13))
        message = result["message"]["text"]
        self.assertTrue(message.startswith('conv2d "stem": kernel width 14 exceeds 13 on h13 (M1 base)'), message)
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        self.assertEqual(rule["helpUri"], "https://example.org/my%20rules/kernel_width_exceeds.md")
        self.assertEqual(rule["shortDescription"]["text"], "kernel width <got> exceeds <limit>")

    def test_a_policy_raises_the_level(self):
        results = self.read("strict.sarif")["runs"][0]["results"]
        levels = {r["ruleId"].split(".")[1]: r["level"] for r in results}
        self.assertEqual(levels["width_is_not_a_granule"], "error")
        self.assertNotIn("helpUri", str(self.read("strict.sarif")))
        self.assertEqual(self.read("empty.sarif")["runs"][0]["results"], [])

    def test_shared_weights_are_a_note(self):
        run = self.read("tied.sarif")["runs"][0]
        notes = [r for r in run["results"] if r["ruleId"] == "model.weights_are_shared"]
        self.assertEqual(len(notes), 1)
        self.assertEqual(notes[0]["level"], "note")
        self.assertIn('"layer.0.w" [16, 16] is read by linear', notes[0]["message"]["text"])
        place = notes[0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "models/model.cpp", "uriBaseId": "SRCROOT"})
        self.assertEqual(place["region"], {"startLine": 51})
        self.assertEqual(len(self.read("tied.json")["remarks"]), 1)
        self.assertEqual(self.read("ordinary.json")["remarks"], [])

    def test_observations(self):
        run = self.read("observed.sarif")["runs"][0]
        seen = [r for r in run["results"] if "properties" not in r]
        self.assertEqual([r["level"] for r in seen], ["warning", "error", "warning"])
        self.assertEqual([r["ruleId"] for r in seen], ["file.doubt", "data.not_finite", "file.doubt"])
        self.assertEqual(seen[0]["message"]["text"], 'the "word" {{of}} it\x01.')
        self.assertEqual(seen[0]["locations"][0]["physicalLocation"],
                         {"artifactLocation": {"uri": "a%20b.mil", "uriBaseId": "SRCROOT"}, "region": {"startLine": 7}})
        self.assertEqual(seen[1]["locations"], [])
        self.assertEqual([(o["id"], o["level"], o["line"]) for o in self.read("observed.json")["observations"]],
                         [("file.doubt", "warning", 7), ("data.not_finite", "error", 0)])

    def test_hostile_names_and_files(self):
        results = self.read("hostile.sarif")["runs"][0]["results"]
        nodes = [r for r in results if r["ruleId"].endswith(".tensor_width_exceeds")]
        nodes = [r for r in nodes if r["properties"]["operation"] == "relu"]
        by_width = {r["properties"]["got"]: r for r in nodes if r["properties"]["limit"] == 16384}
        names = {w: r["locations"][0]["logicalLocations"][0]["name"] for w, r in by_width.items()}
        self.assertEqual(names[70000], 'quote" back\\slash {brace} [link](http://x) \x1b[2J \x01\x1f\x7f')
        self.assertEqual(names[70001], "\u5377\u79ef \U0001F600 \u202e \u2028")
        self.assertEqual(names[70002], "\ufffd\ufffd\ufffd")
        self.assertEqual(names[70003], "y3")
        self.assertEqual(names[70004], "nul\0inside")
        places = {w: r["locations"][0].get("physicalLocation") for w, r in by_width.items()}
        uri = {w: p["artifactLocation"]["uri"] for w, p in places.items() if p}
        self.assertEqual(urllib.parse.unquote(uri[70000]), 'a dir/m"o\\d%el.cpp')
        self.assertEqual(urllib.parse.unquote(uri[70001]), "\u6a21\u578b.cpp")
        self.assertEqual(uri[70002], "nested/x.cpp")
        self.assertIsNone(places[70003])
        self.assertEqual(urllib.parse.unquote(uri[70004]), "relative dir/y.cpp")
        self.assertNotIn("region", places[70004])
        self.assertEqual(urllib.parse.unquote(uri[70005]), "file:///other/z:1.cpp")
        self.assertNotIn("\x1b", by_width[70000]["message"]["text"])
        self.assertIn("{{brace}}", by_width[70000]["message"]["text"])

    def test_every_code_point_comes_back(self):
        read = self.read("strings.json")
        self.assertEqual(read, [chr(c) for c in range(0x10000) if not 0xD800 <= c <= 0xDFFF])

    def test_verdicts(self):
        for name, model in (("ordinary.json", "ordinary"), ("hostile.json", '"{}\\\ufffd')):
            with self.subTest(file=name):
                verdict = self.read(name)
                self.assertEqual(set(verdict), {"tool", "version", "model", "accepted", "remarks", "observations",
                                                "verdicts"})
                self.assertEqual(verdict["model"], model)
                self.assertEqual(verdict["accepted"], all(row["accepted"] for row in verdict["verdicts"]))
                for row in verdict["verdicts"]:
                    levels = [v["level"] for v in row["violations"]]
                    self.assertEqual(row["errors"], levels.count("error"))
                    self.assertEqual(row["warnings"], levels.count("warning"))
                    self.assertEqual(row["notes"], levels.count("note"))
                    self.assertEqual(row["accepted"], row["errors"] == 0)
                    self.assertTrue(row["seconds"] is None or (row["accepted"] and 0 < row["seconds"] < 1))
                    self.assertEqual("bound" in row, row["seconds"] is not None)
                    self.assertEqual(set(row["residency"]), {"largest", "streamed", "alive", "partitioned", "kernels",
                                                             "extra_layers", "wasted"})
                    for v in row["violations"]:
                        self.assertTrue(v["level"] == "error" or "first_target" not in v)
                        self.assertIn(v["severity"], SEVERITIES)
                        self.assertIn(v["mark"], MARKS)
                        self.assertEqual(v["page"], f"docs/rules/{v['rule']}.md")


@unittest.skipUnless(pathlib.Path(VERDICTS).exists(), "the examples are not built")
class Program(unittest.TestCase):
    def call(self, *arguments, **environment):
        return subprocess.run(
            [VERDICTS, *arguments], capture_output=True, timeout=PATIENCE, env={**os.environ, **environment}, check=False
        )

    def text(self, *arguments):
        return self.call(*arguments).stdout.decode()

    def test_exit_codes(self):
        self.assertEqual(self.call().returncode, 0)
        self.assertEqual(self.call("--model", "wide_kernel").returncode, 1)
        self.assertEqual(self.call("--model", "wide_kernel", "--target", "h16,h17s").returncode, 0)
        self.assertEqual(self.call("--model", "wide_kernel", "--waive", "kernel_width_exceeds").returncode, 0)
        self.assertEqual(self.call("--model", "crop", "--target", "h15").returncode, 0)
        self.assertEqual(self.call("--model", "crop", "--target", "h13").returncode, 1)
        for option in ("--help", "--list-rules", "--list-targets", "--list-models"):
            self.assertEqual(self.call(option).returncode, 0)

    def test_usage_errors_name_what_is_wrong(self):
        for arguments, words in (
            (["--target", "h99"], ["--target", "'h99'", "28 targets"]),
            (["--target", ""], ["--target", "''"]),
            (["--target", "h13,"], ["--target", "''"]),
            (["--model", "nothing"], ["--model", "'nothing'", "classifier"]),
            (["--format", "xml"], ["--format", "'xml'", "text, json, sarif"]),
            (["--policy", "lax"], ["--policy", "'lax'", "default, strict"]),
            (["--as-error", "kernel_width"], ["--as-error", "'kernel_width'", "rules"]),
            (["--waive", "x"], ["--waive", "'x'"]),
            (["--compare", "h13"], ["--compare", "2 targets", "1 given"]),
            (["--compare", "h13,h14,h15"], ["--compare", "3 given"]),
            (["--model"], ["--model", "needs a value"]),
            (["--model", "crop", "--model", "crop"], ["--model", "twice"]),
            (["model"], ["model", "is not an option"]),
        ):
            with self.subTest(arguments=arguments):
                result = self.call(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stdout, b"")
                for word in words:
                    self.assertIn(word, result.stderr.decode())

    def test_a_row_for_every_mac(self):
        macs = ["h13", "h13g", "h14", "h14g", "h15", "h15g", "h16", "h16g", "h17", "h17s", "h18"]
        text = self.text("--model", "wide_kernel")
        verdicts = dict(re.findall(r"^(h\w+) .* (accepted|refused) ", text, re.MULTILINE))
        self.assertEqual(list(verdicts), macs)
        self.assertEqual([t for t in macs if verdicts[t] == "accepted"],
                         ["h16", "h16g", "h17", "h17s", "h18"])
        self.assertIn("the first target that takes it is h16 (M4 base)", text)
        self.assertNotIn("\x1b", text)  # a pipe is no terminal

    def test_json_and_text_agree(self):
        for model in ("classifier", "wide_kernel", "crop", "long_rows"):
            text = self.text("--model", model, "--target", "all")
            document = strict(self.call("--model", model, "--target", "all", "--format", "json").stdout)
            self.assertEqual(len(document["verdicts"]), 28)
            rows = dict(re.findall(r"^(\w+) .* (accepted|refused) ", text, re.MULTILINE))
            for row in document["verdicts"]:
                self.assertEqual(rows[row["target"]], "accepted" if row["accepted"] else "refused")

    def test_sarif_points_into_the_sources(self):
        result = self.call("--model", "wide_kernel", "--format", "sarif", "--root", str(SOURCE))
        self.assertEqual(result.returncode, 1)
        log = strict(result.stdout)
        Sarif(self).log(log)
        errors = [r for r in log["runs"][0]["results"] if r["level"] == "error"]
        place = errors[0]["locations"][0]["physicalLocation"]
        uri = urllib.parse.unquote(place["artifactLocation"]["uri"])
        self.assertEqual(uri.rsplit("/", 1)[-1], "models.hpp")
        lines = (SOURCE / "examples/verdicts/models.hpp").read_text().splitlines()
        self.assertIn('conv2d(x, g.weight("stem.weight"', lines[place["region"]["startLine"] - 1])

    def test_policies(self):
        lenient = strict(self.call("--model", "wide_kernel", "--target", "h16", "--format", "json").stdout)
        warnings = {v["rule"] for v in lenient["verdicts"][0]["violations"] if v["level"] == "warning"}
        self.assertTrue(lenient["accepted"] and warnings)
        for rule in warnings:
            raised = self.call("--model", "wide_kernel", "--target", "h16", "--as-error", rule)
            self.assertEqual(raised.returncode, 1)
        self.assertEqual(self.call("--model", "wide_kernel", "--target", "h16", "--policy", "strict").returncode, 1)
        notes = {v["rule"] for v in lenient["verdicts"][0]["violations"] if v["level"] == "note"}
        waive = ",".join(sorted(warnings | notes))
        strictly = self.call("--model", "wide_kernel", "--target", "h16", "--policy", "strict", "--waive", waive)
        self.assertEqual(strictly.returncode, 0)

    def on_a_terminal(self, *arguments, **environment):
        try:
            terminal, end = pty.openpty()
        except OSError as none:  # a bare chroot has no /dev/pts
            self.skipTest(f"no terminal to be had: {none}")
        plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        try:
            program = subprocess.Popen([VERDICTS, *arguments], stdout=end, env={**plain, **environment})
            os.close(end)
            shown = b""
            while True:
                try:
                    piece = os.read(terminal, 65536)
                except OSError:  # the program has closed its end
                    break
                if not piece:
                    break
                shown += piece
            self.assertEqual(program.wait(timeout=PATIENCE), 1)
        finally:
            os.close(terminal)
        return shown.decode()

    def test_colour_on_a_terminal_only(self):
        arguments = ("--model", "wide_kernel", "--target", "h13", "--findings")
        shown = self.on_a_terminal(*arguments)
        self.assertIn("\x1b[1;31mreject\x1b[0m: conv2d", shown)
        self.assertIn("[16, 16, 3, \x1b[1;31m14\x1b[0m]", shown)
        self.assertNotIn("\x1b", self.on_a_terminal(*arguments, NO_COLOR="1"))
        self.assertNotIn("\x1b", self.text(*arguments))
        self.assertIn("^^", self.text(*arguments))

    def test_lists(self):
        rules = [line.split()[0] for line in self.text("--list-rules").splitlines()]
        self.assertIn("kernel_width_exceeds", rules)
        self.assertEqual(len(rules), len(set(rules)))
        self.assertEqual(len(self.text("--list-targets").splitlines()), 28)
        self.assertIn("wide_kernel", self.text("--list-models"))
        for word in ("--target", "--format", "--as-error", "--list-rules", "Exit codes"):
            self.assertIn(word, self.text("--help"))

    def test_what_two_targets_may_differ_by(self):
        self.assertIn("infinity: slice", self.text("--model", "crop", "--compare", "h13,h16"))
        same = self.call("--model", "crop", "--compare", "h16,h17s")
        self.assertEqual((same.returncode, b"no difference is known" in same.stdout), (0, True))

    def test_the_version_is_that_of_the_build(self):
        stated = re.search(r"VERSION (\d+\.\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(strict(self.call("--format", "json").stdout)["version"], stated)


if __name__ == "__main__":
    unittest.main()
