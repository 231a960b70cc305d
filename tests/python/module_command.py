"""The Python module says, writes and draws what the command does, with the same options.

Ends with 77 where the module was not built (ANEMONE_BUILD_PYTHON), or there is no NumPy."""

import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from _harness import expect, verdict
from _module import BUILD, CLASSIFIER, anemone, numpy


def says_what_the_command_says(folder):
    report = anemone.check(CLASSIFIER, "h13..h16")
    model = anemone.Model(CLASSIFIER)
    drawing = xml.etree.ElementTree.fromstring(model.draw())
    expect(drawing.tag.endswith("svg"), drawing.tag)
    again = anemone.Model(model.convert("mil", folder / "again"))
    image = numpy.random.default_rng(1).random((4, 4))
    expect(numpy.array_equal(again.run({"image": image})["probabilities"], model.run({"image": image})["probabilities"]),
           "converted to MIL")
    again = anemone.Model(model.convert("mlpackage", folder / "again.mlpackage"))
    expect(numpy.array_equal(again.run({"image": image})["probabilities"], model.run({"image": image})["probabilities"]),
           "converted to a package")
    expect(pathlib.Path(model.convert("netplist", folder / "net")).name == "net.plist", "converted to a netplist")
    strict = model.check("h13", errors=["R103", "R104"])
    expect(not strict.accepted and strict["h13"].errors == 7 and strict["h13"].seconds is None, str(strict))
    expect(str(strict["h13"]) == "h13 (M1 base): refused", str(strict["h13"]))
    expect(model.check("h13", waive="R103")["h13"].warnings == 1, "waive")
    expect(strict.findings[0].level == "error" and strict.findings[0].file.endswith("classifier.mil"), "findings")
    expect(anemone.targets("h13,h16") == ["h13", "h16"], anemone.targets("h13,h16"))
    expect([(each.seconds, each.joules) for each in model.cost("u1")] == [(None, None)], "what is not known is None")
    program = BUILD / "bin" / "anemone"
    if program.exists():
        printed = subprocess.run([program, "check", CLASSIFIER, "--targets", "h13..h16", "--format", "json"],
                                 capture_output=True, text=True, check=True).stdout
        expect(printed.strip() == report.json.strip(), "check and anemone check differ")


def writes_and_draws_as_the_command(folder):
    """With the options of the command, the same files to the byte."""
    program = BUILD / "bin" / "anemone"
    model = anemone.Model(CLASSIFIER)
    written = pathlib.Path(model.convert("cpp", folder / "own.hpp", name="a::b", weights_file="w.safetensors", targets="macs"))
    text = written.read_text()
    expect(written.name == "own.hpp" and "namespace a::b" in text and '"w.safetensors"' in text, f"{written}: {text}")
    light = model.draw(theme="light", collapse="none", weights=True)
    expect(light != model.draw() and model.draw(collapse="auto") == model.draw(), "the options of drawings")
    made = model.optimize("h13").model
    rewritten = pathlib.Path(made.convert("cpp", folder / "made.hpp")).read_text()
    expect("sha256: " in text and "sha256: " not in rewritten, "the digest of another model")
    deep = layers(folder / "deep.mil", 200)
    expect(len(deep.draw()) < len(deep.draw(collapse="none")), "blocks are not drawn as one")
    if not program.exists():
        return
    for options, keywords in ((["--theme", "light", "--collapse", "none", "--weights"],
                               {"theme": "light", "collapse": "none", "weights": True}), ([], {})):
        for of in (model, deep):
            drawn = subprocess.run([program, "draw", of.path, *options], capture_output=True, text=True, check=True).stdout
            expect(drawn == of.draw(**keywords), f"draw {of.path} {options} and Model.draw differ")
    line = [program, "convert", CLASSIFIER, "--to", "cpp", "-o", folder / "command.hpp", "--name", "a::b", "--weights-file",
            "w.safetensors", "-t", "macs"]
    subprocess.run(line, capture_output=True, check=True)
    expect((folder / "command.hpp").read_text() == text, "convert to C++ and Model.convert differ")
    expect((folder / "command.safetensors").read_bytes() == (folder / "own.safetensors").read_bytes(), "weights of C++")
    ranges = model.check("h13", waive="R103", ranges={"image": (-20000, 20000)})
    line = [program, "check", CLASSIFIER, "-t", "h13", "--waive", "R103", "--ranges", "image=-20000,20000", "--format", "json"]
    printed = subprocess.run(line, capture_output=True, text=True, check=False).stdout
    expect(printed.strip() == ranges.json.strip() != model.check("h13", waive="R103").json.strip(), "check with ranges")


def layers(path, count):
    """A model of equal layers one after the other, more than one can read in a drawing."""
    names = ["x", *(f"block.{i}/relu" for i in range(count))]
    text = "".join(f'        tensor<fp16, [1, 4]> {after} = relu(x = {before})[name = string("{name}")];\n'
                   for before, after, name in zip(["x", *(f"t{i}" for i in range(count))], (f"t{i}" for i in range(count)), names[1:]))
    path.write_text(f"""program(1.3)
{{
    func main<ios18>(tensor<fp16, [1, 4]> x) {{
{text}    }} -> (t{count - 1});
}}
""")
    return anemone.Model(path)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        says_what_the_command_says(folder)
        writes_and_draws_as_the_command(folder)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
