"""The headers whose bodies anemone.hpp leaves out, header-only: a call without the header names it, with it it compiles.

Each header of base/left_out.hpp has the form that base/way.hpp asks for."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("ANEMONE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
INCLUDE = ROOT / "include"
PROGRAM = """ane::model_difference difference(const ane::graph_view& model, ane::input_buffers inputs) {
    return ane::diff(model, ane::backend::cpu{}, ane::backend::oracle(ane::h13), {}, inputs);
}

std::optional<ane::token_id> first_token(const char* folder) {
    const ane::models::checkpoint c = ane::models::read_checkpoint(folder);
    ane::decoder host(c.configuration, c.weights, {.context = 64}, ane::backend::cpu{});
    ane::decoder_stream stream = host.open();
    const std::vector<ane::token_id> prompt = {1, 2, 3};
    return ane::text_generation(stream, prompt, {.drafts = ane::drafts_of_text()}).next();
}
"""
CALLED = ["diff/diff.hpp", "decoder/generation.hpp", "models/checkpoint.hpp"]


def form_faults():
    """A sentence for each header that is not written as one whose body may follow later."""
    paths = {re.sub(r"\W", "_", path.relative_to(INCLUDE).as_posix()): path for path in INCLUDE.rglob("*.hpp")}
    listed = re.findall(r"^struct (\w+);", (INCLUDE / "anemone/base/left_out.hpp").read_text(), re.M)
    if len(listed) < 20:
        yield f"base/left_out.hpp lists {len(listed)} headers"
    for name in listed:
        path = paths.get(name)
        if path is None:
            yield f"{name} is no header"
            continue
        text, body = path.read_text(), path.with_suffix(".ipp")
        if f"#ifndef {name.upper()}\n" not in text or f'#if ANEMONE_BODIES\n#include "{body.name}"' not in text:
            yield f"{path.relative_to(ROOT)}: no guard around its declarations, or no condition for its body"
        if f"ANEMONE_API_OF({name})" not in text or f"ANEMONE_INCLUDED({name});" not in body.read_text():
            yield f"{path.relative_to(ROOT)}: ANEMONE_API_OF or ANEMONE_INCLUDED is missing"


def compiled(compiler, *headers):
    source = "".join(f"#include <anemone/{header}>\n" for header in headers) + PROGRAM
    return subprocess.run([compiler, "-std=c++20", f"-I{INCLUDE}", "-fsyntax-only", "-x", "c++", "-"], input=source,
                          capture_output=True, text=True, check=False)


def main():
    faults = list(form_faults())
    compiler = next((name for name in ("clang++", "g++") if shutil.which(name)), None)
    if compiler:
        without = compiled(compiler, "anemone.hpp")
        named = [re.sub(r"\W", "_", f"anemone/{header}") in without.stderr for header in CALLED]
        if without.returncode == 0 or not all(named):
            faults.append(f"a call without its header is told so: {without.stderr[:2000]}")
        before, *after = CALLED  # a header may come before or after
        done = compiled(compiler, before, "anemone.hpp", *after)
        if done.returncode != 0:
            faults.append(f"with the headers it does not compile: {done.stderr[:2000]}")
    print("\n".join(faults) or "every header that is left out has the form, and a call names it")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
