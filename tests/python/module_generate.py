#!/usr/bin/env python3
"""anemone.LanguageModel: an iterator of tokens, which Control-C interrupts and which then goes on; texts that share a beginning,
and several at once."""

import itertools
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import threading

import numpy
from _harness import ROOT, expect, verdict
from _module import anemone, refused
import _language_model as models

TINY = ROOT / "tests" / "c" / "tiny_llama"
WANTED = [5, 3, 2, 12, 11, 3, 2, 7, 6, 6, 6, 6]  # after 1, 2, 3, by _language_model.greedy: the least margin is 0.52


def generates():
    model = anemone.LanguageModel(TINY, context=64, chunk=8)
    expect(model.vocabulary == 24 and model.notes == [], f"{model.vocabulary} {model.notes}")
    g = model.generate([1, 2, 3], max_tokens=12)
    expect(list(g) == WANTED and g.tokens == WANTED and g.ended_by == "max_tokens", f"{g.tokens}")
    expect(list(g) == [], "an iterator that has ended stays so")
    expect(g.figures.prompt_tokens == 3 and g.figures.reused_tokens == 0 and g.figures.steps == 11, f"{g.figures}")
    del g
    again = model.generate(numpy.array([1, 2, 3, *WANTED[:4], 9]), max_tokens=3)
    expect(len(list(again)) == 3 and again.figures.reused_tokens == 7, f"{again.figures}")
    for how in ({"lookup": 2}, {"draft": str(TINY)}, {"caches": "states"}, {"rows": 4, "layers": 1, "head_parts": 2}):
        other = anemone.LanguageModel(TINY, context=64, chunk=8, **how)
        expect(list(other.generate((1, 2, 3), max_tokens=12)) == WANTED, f"{how}")
    drawn = [list(model.generate([1], max_tokens=20, temperature=2, seed=seed)) for seed in (3, 3, 4)]
    expect(drawn[0] == drawn[1] != drawn[2], f"{drawn}")
    stopped = model.generate([1, 2, 3], stop=[12, 20])
    expect(list(stopped) == WANTED[:3] and stopped.ended_by == "stop", f"{stopped.tokens}")


def takes_turns():
    model = anemone.LanguageModel(TINY, context=64, chunk=8)
    prompts = [[1, 2, 3], [4], [20, 21, 22, 23, 1]]
    alone = [list(anemone.LanguageModel(TINY, context=64, chunk=8).generate(each, max_tokens=9)) for each in prompts]
    turns = zip(*(model.generate(each, max_tokens=9) for each in prompts))
    expect([list(each) for each in zip(*turns)] == alone, "one after the other")
    found = [None] * 3

    def generate(i):
        found[i] = list(model.generate(prompts[i], max_tokens=9))

    threads = [threading.Thread(target=generate, args=(i,)) for i in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    expect(found == alone, f"by threads: {found}")


def is_interrupted(folder):
    """A signal ends a step whose computation is long, at once; what was given stays, and the iteration goes on."""
    c = models.configuration(vocabulary=64, layers=16, width=256, heads=4, inner=512)
    models.write(folder / "large", c, models.random_weights(c, 1))
    model = anemone.LanguageModel(folder / "large", context=2048, chunk=2048, backend="oracle:h13")
    g = model.generate(list(range(64)) * 30, max_tokens=2)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        next(g)
        expect(False, "nothing was interrupted")
    except KeyboardInterrupt:
        expect(g.tokens == [] and g.ended_by == "not_yet", f"{g.tokens}")
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def refuses(folder):
    model = anemone.LanguageModel(TINY, context=8, chunk=4)
    refused(lambda: model.generate([24]), "argument", "token 0: is 24, must be from 0 to 23")
    refused(lambda: model.generate([]), "argument", "are none")
    refused(lambda: model.generate(range(9)), "argument", "context", "room for 8 tokens")
    refused(lambda: model.generate([1], top_p=2), "argument", "top_p: is 2")
    refused(lambda: model.generate([1], max_tokens=0), "argument", "max_tokens")
    refused(lambda: model.tokens_of("a"), "argument", "tokenizer.model")
    refused(lambda: anemone.LanguageModel(folder / "none"), "file", "none")
    refused(lambda: anemone.LanguageModel(TINY, context=0), "argument", "context")
    refused(lambda: anemone.LanguageModel(TINY, backend="gpu"), "argument", "backend 'gpu'")
    full = model.generate([1, 2, 3])
    expect(len(list(full)) == 6 and full.ended_by == "context", f"{full.tokens}")
    expect(list(itertools.islice(model.generate([1, 2, 3]), 2)) == WANTED[:2], "given up half way")


def reads_text(folder):
    """By the plug-in that lies beside the module, where it was built."""
    shutil.copytree(TINY, folder / "text")
    shutil.copy(ROOT / "tests" / "c" / "tokenizer.model", folder / "text")
    model = anemone.LanguageModel(folder / "text")
    if not list(pathlib.Path(anemone.__file__).parent.glob("anemone_sentencepiece*")):
        refused(lambda: model.tokens_of("a bee saw"), "argument", "built without SentencePiece")
        return
    tokens = model.tokens_of("a bee saw")
    expect(len(tokens) == 5 and model.text_of(tokens).strip() == "a bee saw", f"<s>, a, be, e, saw: {tokens}")


QWEN3_4B = {"model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 2560, "num_attention_heads": 32,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 9728, "vocab_size": 151936,
            "max_position_embeddings": 40960, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "tie_word_embeddings": True,
            "hidden_act": "silu"}


def costs(folder):
    """From the configuration alone, beside what field-2026 has of Qwen3-4B on an M5 Pro."""
    (folder / "config.json").write_text(json.dumps(QWEN3_4B))
    (short,) = anemone.decoding_cost(folder, "M5 Pro", context=500)
    expect(15 / 1.3 < short.tokens_per_second < 15 * 1.3, f"{short}")
    expect(938 / 1.4 < 1 / short.position_seconds.typical < 938 * 1.4, f"{short}")  # its caches hold 500, these 756
    expect(0.452 / 1.3 < short.token_joules.typical < 0.452 * 1.3, f"{short}")
    of_a_layer = 2560 * (4096 + 2 * 1024) + 4096 * 2560 + 3 * 2560 * 9728 + 2 * 2560 + 2 * 128
    expect(short.weight_bytes == 2 * (36 * of_a_layer + 2560 * 151936 + 2560), f"{short}")
    expect(short.disk_bytes == short.weight_bytes and short.embedding_bytes == 2 * 2560 * 151936, f"{short}")
    expect(short.cache_bytes == 36 * 2 * 2 * 8 * 128 * short.capacity, f"{short}")
    expect(abs(sum(short.token_shares.values()) / short.token_seconds.typical - 1) < 1e-6, f"{short}")
    macs = anemone.decoding_cost(folder)
    expect({each.context for each in macs} == {2048} and len({each.target for each in macs}) == len(macs) > 5, f"{macs}")
    (longer,) = anemone.decoding_cost(folder, "M5 Pro", context=32512)
    expect(longer.capacity == 32768 and longer.tokens_per_second < 5, f"{longer}")
    (together,) = anemone.decoding_cost(folder, "M5 Pro", context=500, batch=8)
    expect(together.batch == 8 and together.cache_bytes == 8 * short.cache_bytes, f"{together}")
    expect(short.tokens_per_second < together.tokens_per_second < 8 * short.tokens_per_second, f"{together}")
    refused(lambda: anemone.decoding_cost(folder, batch=0), "argument", "batch", "is 0")
    refused(lambda: anemone.decoding_cost(folder, "h99"), "argument", "h99")
    refused(lambda: anemone.decoding_cost(folder, "u1"), "argument", "u1", "no chip whose rates are known")
    refused(lambda: anemone.decoding_cost(folder, context=-1), "argument", "context", "is -1")
    refused(lambda: anemone.decoding_cost(folder, chunk=4097), "argument", "chunk", "is 4097")
    refused(lambda: anemone.decoding_cost(folder / "none"), "file", "none")
    refused(lambda: anemone.decoding_cost(ROOT / "tests" / "c" / "counter.mil"), "argument", "must be a language model")


def main():
    generates()
    takes_turns()
    with tempfile.TemporaryDirectory() as made:
        refuses(pathlib.Path(made))
        costs(pathlib.Path(made))
        reads_text(pathlib.Path(made))
        is_interrupted(pathlib.Path(made))
    return verdict("generations")


if __name__ == "__main__":
    sys.exit(main())
