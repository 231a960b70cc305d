#!/usr/bin/env python3
"""The gallery of docs/image_networks.md, by the command: each known network on the chips of Macs, in the layout of frameworks and in
the engine's, and beside what others measured. The page must be what this prints.

Usage: gallery.py [PROGRAM] [--update]"""

import json
import pathlib
import subprocess
import sys

from _harness import ROOT, command, expect, verdict

CHIPS = {"h13": "M1", "h14": "M2", "h15": "M3", "h16": "M4", "h17s": "M5 Pro", "h18": "M6"}
PAGE = ROOT / "docs/image_networks.md"
HEAD, TAIL = "<!-- written by tests/python/gallery.py --update: {} -->\n", "<!-- end of the {} -->\n"
NETWORKS = [("resnet18", "rows"), ("resnet34", "rows"), ("resnet50", "rows"), ("resnet101", "rows"), ("mobilenet_v2", "rows"), ("mobilenet_v3_large", "rows"), ("efficientnet_b0", "rows"),
            ("convnext_tiny", "rows"), ("convnext_base", "rows"), ("vit_small_patch16_224", "rows"), ("vit_small_patch16_224", "channels"),
            ("vit_b_16", "rows"), ("vit_b_16", "channels"), ("vit_l_16", "channels"), ("swin_t", "rows"), ("swin_t", "channels"),
            ("yolov8n", "rows"), ("espcn_x3", "rows"), ("sd15_vae --function decoder", "rows"), ("sd15_vae --function decoder", "channels"),
            ("sd15_unet", "rows"), ("sd15_unet", "channels")]
# What others measured, ms and mJ of the engine alone, with the source and what is known of a difference.
MEASURED = [("resnet18", "rows", "h17s", 0.33, 2.2, "ANEForge, M5 Pro",
             "its time is about that of reading the weights once; here values go to memory and back besides"),
            ("vit_b_16", "rows", "h17s", 18.3, 75, "ANEForge, M5 Pro",
             "its graph is not told, nor in how many programs it ran")]


def told(*arguments):
    return subprocess.run([str(pathlib.Path(command()).resolve()), *arguments], capture_output=True, text=True, check=False)


def cost(name, layout, chip):
    return json.loads(told("cost", *name.split(), "--layout", layout, "-t", chip, "--json").stdout)[0]


def verdicts(name, layout):
    """Of each chip the rules that refuse the network."""
    found = json.loads(told("check", *name.split(), "--layout", layout, "-t", ",".join(CHIPS), "--format", "json").stdout)
    return {each["target"]: [v["rule"] for v in each["violations"] if v["level"] == "error"] for each in found["verdicts"]}


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}"


def gallery():
    lines = ["| Network | Layout | " + " | ".join(f"{product} ({chip})" for chip, product in CHIPS.items()) + " |",
             "|---|---|" + "---|" * len(CHIPS)]
    for name, layout in NETWORKS:
        cells = []
        refused = verdicts(name, layout)
        for chip in CHIPS:
            of = cost(name, layout, chip)
            cells.append("refused: " + ", ".join(f"[{rule}](rules/{rule}.md)" for rule in sorted(set(refused[chip]))) if refused[chip]
                         else f"{milliseconds(of['seconds'])} ms, {of['engine_joules'] * 1e3:.3g} mJ")
        lines.append(f"| {name} | {layout} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def beside():
    lines = ["| Network | Layout | Measured by | ms | mJ | Here: ms | mJ of the engine | by the measured | Why |", "|---|---|---|---:|---:|---:|---:|---:|---|"]
    for name, layout, chip, ms, mj, source, why in MEASURED:
        of = cost(name, layout, chip)
        lines.append(f"| {name} | {layout} | {source} | {ms:g} | {mj:g} | {milliseconds(of['seconds'])} ({milliseconds(of['at_least'])} to "
                     f"{milliseconds(of['at_most'])}) | {of['engine_joules'] * 1e3:.3g} | {of['seconds'] * 1e3 / ms:.2f} | {why} |")
    return "\n".join(lines) + "\n"


def main():
    page = PAGE.read_text()
    for name, text in (("gallery", gallery()), ("measured", beside())):
        head, tail = HEAD.format(name), TAIL.format(name)
        before, rest = page.split(head)
        is_written, after = rest.split(tail)
        if "--update" in sys.argv:
            page = before + head + text + tail + after
        else:
            expect(is_written == text, f"docs/image_networks.md, {name}, is not what the command prints; --update writes it")
    if "--update" in sys.argv:
        PAGE.write_text(page)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
