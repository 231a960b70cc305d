#!/usr/bin/env python3
"""The galleries of docs/image_networks.md, docs/text_networks.md and docs/speech_networks.md, by the command: known networks on the chips of Macs, in the layout
of frameworks and in the engine's, and beside what others measured. The pages must be what this prints: the usual test looks at
some rows, the thorough one at all.

Usage: gallery.py [PROGRAM] [--update]"""

import json
import pathlib
import subprocess
import sys

from _harness import ROOT, command, expect, verdict

sys.path.insert(0, str(ROOT / "tests"))
import from_environment

CHIPS = {"h13": "M1", "h14": "M2", "h15": "M3", "h16": "M4", "h17s": "M5 Pro", "h18": "M6"}
HEAD, TAIL = "<!-- written by tests/python/gallery.py --update: {} -->\n", "<!-- end of the {} -->\n"
# A network: its name, the layout, and what else it is read with.
IMAGES = [("resnet18", "rows"), ("resnet34", "rows"), ("resnet50", "rows"), ("resnet101", "rows"), ("mobilenet_v2", "rows"), ("mobilenet_v3_large", "rows"), ("efficientnet_b0", "rows"),
          ("convnext_tiny", "rows"), ("convnext_base", "rows"), ("vit_small_patch16_224", "rows"), ("vit_small_patch16_224", "channels"),
          ("vit_b_16", "rows"), ("vit_b_16", "channels"), ("vit_l_16", "channels"), ("swin_t", "rows"), ("swin_t", "channels"),
          ("yolov8n", "rows"), ("espcn_x3", "rows"), ("sd15_vae", "rows", "--function", "decoder"), ("sd15_vae", "channels", "--function", "decoder"),
          ("sd15_unet", "rows"), ("sd15_unet", "channels")]
TEXTS = [("all-MiniLM-L6-v2", "rows", "--context", "128"), ("all-MiniLM-L6-v2", "channels", "--context", "128"), ("all-MiniLM-L12-v2", "channels", "--context", "128"),
         ("bge-base-en-v1.5", "channels", "--context", "128"), ("bert-base-uncased", "rows", "--context", "128"), ("bert-base-uncased", "channels", "--context", "128"),
         ("bert-base-uncased", "channels", "--context", "512"), ("roberta-base", "channels", "--context", "128"), ("distilbert-base-uncased", "channels", "--context", "128"),
         ("clip-vit-base-patch32", "rows", "--function", "image"), ("clip-vit-base-patch32", "channels", "--function", "image"), ("clip-vit-base-patch32", "rows", "--function", "text"),
         ("clip-vit-base-patch32", "channels", "--function", "text"), ("clip-vit-base-patch16", "channels", "--function", "image"), ("clip-vit-large-patch14", "channels", "--function", "image")]
SPEECH = [(name, layout, "--function", part) for name in ("whisper-tiny", "whisper-base") for part in ("encoder", "cross", "step") for layout in ("rows", "channels")]
SPEECH += [(name, "channels", "--function", "encoder") for name in ("whisper-small", "whisper-large-v3-turbo")]
SPEECH += [(name, "rows", "--function", "step") for name in ("whisper-small", "whisper-large-v3-turbo")]
# What others measured, ms and mJ of the engine alone, with the chip, the source and what is known of a difference.
MEASURED_IMAGES = [(("resnet18", "rows"), "h17s", 0.33, 2.2, "ANEForge, M5 Pro",
                    "its time is about that of reading the weights once; here values go to memory and back besides"),
                   (("vit_b_16", "rows"), "h17s", 18.3, 75, "ANEForge, M5 Pro",
                    "its graph is not told, nor in how many programs it ran")]
MEASURED_TEXTS = [(("all-MiniLM-L6-v2", "channels", "--context", "128"), "h17s", 0.53, 2.4, "ANEForge, M5 Pro",
                   "neither its form nor its length is told; the energy is that of 128 tokens. A convolution of one pixel is priced above a product of rows: "
                   "`anemone optimize all-MiniLM-L6-v2 --context 128 -t h17s` finds a faster form"),
                  (("all-MiniLM-L6-v2", "rows", "--context", "128"), "h17s", 0.53, 2.4, "ANEForge, M5 Pro",
                   "here heads are split and joined by turning values round, which `anemone optimize` leaves out")]
# What `optimize` makes of the form of the frameworks, and on which chips.
OPTIMIZED_IMAGES = [(("vit_b_16", "rows"), ("h13", "h17s")), (("swin_t", "rows"), ("h13", "h17s"))]
OPTIMIZED_TEXTS = [(("all-MiniLM-L6-v2", "rows", "--context", "128"), ("h13", "h17s")),
                   (("bert-base-uncased", "rows", "--context", "128"), ("h13", "h17s")),
                   (("clip-vit-base-patch32", "rows", "--function", "image"), ("h13", "h17s"))]
OPTIMIZED_SPEECH = [(("whisper-tiny", "rows", "--function", "encoder"), ("h13", "h17s")),
                    (("whisper-tiny", "channels", "--function", "encoder"), ("h13", "h17s")),
                    (("whisper-base", "rows", "--function", "encoder"), ("h13", "h17s"))]
PAGES = [("docs/image_networks.md", IMAGES, MEASURED_IMAGES, OPTIMIZED_IMAGES), ("docs/text_networks.md", TEXTS, MEASURED_TEXTS, OPTIMIZED_TEXTS),
         ("docs/speech_networks.md", SPEECH, [], OPTIMIZED_SPEECH)]


def told(*arguments):
    return subprocess.run([str(pathlib.Path(command()).resolve()), *arguments], capture_output=True, text=True, check=False)


def costs(network, chips):
    """Of one run, by chip."""
    name, layout, *more = network
    found = json.loads(told("cost", name, "--layout", layout, "-t", ",".join(chips), "--json", *more).stdout)
    return {each["target"].lower(): each for each in found}


def verdicts(network):
    """Of each chip the rules that refuse the network."""
    name, layout, *more = network
    found = json.loads(told("check", name, "--layout", layout, "-t", ",".join(CHIPS), "--format", "json", *more).stdout)
    return {each["target"]: [v["rule"] for v in each["violations"] if v["level"] == "error"] for each in found["verdicts"]}


def shown(network):
    """Its name and its layout: "bert-base-uncased, 128 tokens"."""
    name, layout, *more = network
    of = {"--context": "{} tokens", "--function": "{}"}
    return " | ".join((", ".join([name] + [of[key].format(value) for key, value in zip(more[::2], more[1::2])]), layout))


def milliseconds(seconds):
    """Or millijoules."""
    return f"{seconds * 1e3:.3g}" if seconds < 0.9995 else f"{seconds * 1e3:.0f}"


def gallery(networks):
    lines = ["| Network | Layout | " + " | ".join(f"{product} ({chip})" for chip, product in CHIPS.items()) + " |",
             "|---|---|" + "---|" * len(CHIPS)]
    for network in networks:
        cells = []
        refused, cost = verdicts(network), costs(network, CHIPS)
        for chip in CHIPS:
            of = cost[chip]
            cells.append("refused: " + ", ".join(f"[{rule}](rules/{rule}.md)" for rule in sorted(set(refused[chip]))) if refused[chip]
                         else f"{milliseconds(of['seconds'])} ms, {milliseconds(of['engine_joules'])} mJ")
        lines.append(f"| {shown(network)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def beside(measured):
    lines = ["| Network | Layout | Measured by | ms | mJ | Here: ms | mJ of the engine | by the measured | Why |", "|---|---|---|---:|---:|---:|---:|---:|---|"]
    for network, chip, ms, mj, source, why in measured:
        of = costs(network, [chip])[chip]
        lines.append(f"| {shown(network)} | {source} | {ms:g} | {mj:g} | {milliseconds(of['seconds'])} ({milliseconds(of['at_least'])} to "
                     f"{milliseconds(of['at_most'])}) | {of['engine_joules'] * 1e3:.3g} | {of['seconds'] * 1e3 / ms:.2f} | {why} |")
    return "\n".join(lines) + "\n"


def optimized(networks):
    lines = ["| Network | Layout | Chip | As it is: ms | Optimized: ms | Gain | By |", "|---|---|---|---:|---:|---:|---|"]
    for network, chips in networks:
        name, layout, *more = network
        for chip in chips:
            found = json.loads(told("optimize", name, "--layout", layout, "-t", chip, "--weights", "random", "--json", *more).stdout)
            steps = ", ".join(f"[{step['rewrite']}](rewrites.md)" for step in found["steps"])
            before, after = found["before"], found["after"]
            refused = found["refuted_before"] > 0 or bool(verdicts(network)[chip])
            lines.append(f"| {shown(network)} | {CHIPS[chip]} ({chip}) | {'refused' if refused else milliseconds(before)} | {milliseconds(after)} | "
                         f"{'' if refused else f'{before / after:.2f}'} | {steps} |")
    return "\n".join(lines) + "\n"


def some(rows):
    """What the usual test looks at: the thorough one, and what writes the pages, take all."""
    return rows if from_environment.thorough() or "--update" in sys.argv else rows[::12]


def main():
    for path, networks, measured, faster in PAGES:
        page = (ROOT / path).read_text()
        made = [("gallery", gallery(some(networks))), ("measured", beside(some(measured))), ("optimized", optimized(some(faster)))]
        for name, text in made[:1] + made[1:2] * bool(measured) + made[2:]:
            head, tail = HEAD.format(name), TAIL.format(name)
            before, rest = page.split(head)
            is_written, after = rest.split(tail)
            if "--update" in sys.argv:
                page = before + head + text + tail + after
            else:
                stale = [line for line in text.splitlines() if line not in is_written.splitlines()]
                expect(not stale, f"{path}, {name}, is not what the command prints, --update writes it: {stale}")
                expect(not from_environment.thorough() or is_written == text, f"{path}, {name}, has other rows")
        if "--update" in sys.argv:
            (ROOT / path).write_text(page)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
