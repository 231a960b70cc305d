#!/usr/bin/env python3
"""Published networks of speech against networks of torch.nn in float64 that are written from the papers: random weights under the
names of transformers, each part run by the command on the CPU in both layouts; a sound to tokens by the example; then what is wrong
with folders, by name.

Usage: speech_networks.py <command>"""

import os
import pathlib
import sys
import tempfile
import wave

import numpy as np

from _harness import command, expect, run, skip, verdict

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
from _speech_networks import Whisper, draw, log_mel
from image_networks import cosine, folder_of

import from_environment

PROGRAM = command()
torch.set_num_threads(1)
SMALL = {"model_type": "whisper", "d_model": 32, "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_layers": 2,
         "decoder_attention_heads": 2, "decoder_ffn_dim": 64, "num_mel_bins": 20, "max_source_positions": 30, "max_target_positions": 12,
         "vocab_size": 50, "num_hidden_layers": 2, "activation_function": "gelu", "architectures": ["WhisperForConditionalGeneration"]}
WIDE = {**SMALL, "d_model": 16, "vocab_size": 20001, "decoder_layers": 1, "encoder_layers": 1, "num_hidden_layers": 1}  # a head in parts
TINY = {"model_type": "whisper", "d_model": 384, "encoder_layers": 4, "encoder_attention_heads": 6, "encoder_ffn_dim": 1536, "decoder_layers": 4,
        "decoder_attention_heads": 6, "decoder_ffn_dim": 1536, "num_mel_bins": 80, "max_source_positions": 1500, "max_target_positions": 448,
        "vocab_size": 51865}


def random_of(number):
    return np.random.default_rng([from_environment.seed(), number])


def half(x):
    return np.ascontiguousarray(x, np.float16)


def wide(x):
    return torch.from_numpy(np.asarray(x, np.float64))


def mask_of(positions, capacity, kept):
    """0 where a query sees a position: the first `kept` of the capacity, and of the new ones itself and those before."""
    mask = np.full((positions, capacity + positions), -40000.0)
    mask[:, :kept] = 0
    mask[:, capacity:] = np.where(np.tri(positions), 0, -40000)
    return mask


def turned(x, layout):
    """Tokens or heads in a layout."""
    if layout == "rows":
        return half(x)
    return half(np.swapaxes(x, 1, 2) if x.ndim == 3 else x.T[None, :, None])


def outputs(made, model, part, layout, inputs, more=()):
    """What a part gives, in rows; None where it fails."""
    np.savez(made / "in.npz", **inputs)
    told = run(PROGRAM, ["run", *model, "--function", part, "-i", "in.npz", "-o", "out.npz", "--layout", layout, *more], made)
    expect(told.returncode == 0, f"{part}, {layout}: {told.stderr}{told.stdout}")
    if told.returncode:
        return None
    expect("left out" not in told.stderr + told.stdout, f"{part}, {layout}: weights of other parts are not left over")
    found = {name: value.astype(np.float64) for name, value in np.load(made / "out.npz").items()}
    return {name: value if layout == "rows" else value[0, :, 0].T if value.ndim == 4 else np.swapaxes(value, 1, 2) for name, value in found.items()}


def near(what, found, wanted):
    if found is not None:
        is_near = cosine(found, wanted.numpy())
        expect(found.shape == tuple(wanted.shape) and is_near >= 0.9999, f"{what}: cosine {is_near:.6f}, {found.shape}, {tuple(wanted.shape)}")


def compare(made):
    for number, config in enumerate([SMALL, WIDE] + [TINY] * from_environment.thorough()):
        random = random_of(number)
        network = Whisper(config)
        tensors = draw(network, random)
        network.double()
        encoder, decoder = network.model.encoder, network.model.decoder
        place = made / str(number)
        # transformers writes the model alone without its name before those of the tensors
        folder_of(place, config, tensors if number == 0 else {name.removeprefix("model."): value for name, value in tensors.items()})
        frames, length = config["max_source_positions"], config["max_target_positions"]
        mel = half(random.uniform(-1.5, 2, (config["num_mel_bins"], 2 * frames)))
        tokens = [int(each) for each in random.integers(0, config["vocab_size"], length)]
        with torch.no_grad():
            hidden = encoder(wide(mel))
            seen = wide(half(hidden.numpy()))
            x = wide(half(decoder.embedded(tokens).numpy()))
            read = []
            logits = decoder(x, seen, read)
            shorter = encoder(wide(mel[:, :2 * (frames - 7)]))
            keys = [layer.self_attn.by_head(layer.self_attn.k_proj(of)) for layer, of in zip(decoder.layers, read)]
            values = [layer.self_attn.by_head(layer.self_attn.v_proj(of)) for layer, of in zip(decoder.layers, read)]
            cross = {}
            for i, layer in enumerate(decoder.layers):
                cross[f"cross_keys_{i}"] = layer.encoder_attn.by_head(layer.encoder_attn.k_proj(seen))
                cross[f"cross_values_{i}"] = layer.encoder_attn.by_head(layer.encoder_attn.v_proj(seen))
        for layout in ("rows", "channels"):
            sound = lambda m: m[None] if layout == "rows" else m[None, :, None]
            what = f"case {number}, {layout}"
            of = lambda part, inputs, more=(): outputs(made, [str(place)], part, layout, inputs, more) or {}
            near(f"{what}, encoder", of("encoder", {"mel": sound(mel)}).get("hidden"), hidden)
            near(f"{what}, shorter encoder", of("encoder", {"mel": sound(mel[:, :2 * (frames - 7)])}, ["--context", str(frames - 7)]).get("hidden"), shorter)
            found = of("cross", {"hidden": turned(seen.numpy(), layout)})
            expect(set(found) == set(cross), f"{what}, cross: {sorted(found)}")
            for name, value in found.items():
                near(f"{what}, {name}", value, cross[name])
            joined = lambda outs: np.concatenate([outs[name] for name in sorted(outs) if name.startswith("logits")], 1) if outs else None
            inputs = {"x": turned(x.numpy(), layout), "mask": half(mask_of(length, 0, 0)), "hidden": turned(seen.numpy(), layout)}
            found = of("decoder", inputs)
            expect(len(found) == -(-config["vocab_size"] // 16384), f"{what}, decoder: {sorted(found)}")
            near(f"{what}, decoder", joined(found), logits)
            near(f"{what}, shorter decoder", joined(of("decoder", {**inputs, "x": turned(x.numpy()[:5], layout), "mask": half(mask_of(5, 0, 0))}, ["--context", "5"])), logits[:5])
            kept, rows = 6, 3
            inputs = {"x": turned(x.numpy()[kept:kept + rows], layout), "mask": half(mask_of(rows, length, kept))}
            for i in range(config["decoder_layers"]):
                for name, whole in (("keys", keys[i]), ("values", values[i])):
                    cache = np.zeros(whole.shape)
                    cache[:, :kept] = whole[:, :kept]
                    inputs[f"{name}_{i}"] = turned(cache, layout)
            inputs.update({name: turned(value.numpy(), layout) for name, value in cross.items()})
            found = of("step", inputs, ["--context", str(rows)])
            near(f"{what}, step", joined(found), logits[kept:kept + rows])
            for i in range(config["decoder_layers"]):
                near(f"{what}, step, keys {i}", found.get(f"new_keys_{i}"), keys[i][:, kept:kept + rows])
                near(f"{what}, step, values {i}", found.get(f"new_values_{i}"), values[i][:, kept:kept + rows])


def example():
    """The command line of the example, none where it is not built."""
    built = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", "."), "bin").resolve()
    alone = built / "example_whisper"
    return [alone] if alone.exists() else [built / "examples", "whisper"] if (built / "examples").exists() else None


def transcribe(made):
    """A sound in a file to tokens, with caches and padding, against the whole text each time."""
    program = example()
    if program is None:
        return
    random = random_of(10)
    network = Whisper(SMALL)
    tensors = draw(network, random)
    network.double()
    folder_of(made / "heard", SMALL, tensors)
    sound = np.clip(8000 * np.sin(np.arange(7000) * (0.05 + np.arange(7000) * 2e-5)) + 500 * random.standard_normal(7000), -32768, 32767).astype("<i2")
    with wave.open(str(made / "sound.wav"), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(sound.tobytes())
    wanted = log_mel(sound / 32768, 20, 60)
    told = run(program[0], [*program[1:], made / "heard", made / "sound.wav"], made)
    found = np.array([[float(each) for each in line.split()] for line in told.stdout.splitlines()] if told.returncode == 0 else [])
    expect(found.shape == wanted.shape and np.abs(found - wanted).max() < 1e-6,
           f"spectra: {told.stdout[:200]}{told.stderr}")
    prompt, count = [3, 1, 4, 1, 5], 7
    with torch.no_grad():
        tokens, ahead = network.greedy(wide(half(wanted)), prompt, count)
    told = run(program[0], [*program[1:], made / "heard", made / "sound.wav", *map(str, prompt)], made)
    found = [int(each) for each in told.stdout.split()] if told.returncode == 0 else []
    expect(len(found) == count, f"tokens: {told.stdout}{told.stderr}")
    for i, (is_found, is_wanted, by) in enumerate(zip(found, tokens, ahead)):
        if is_found != is_wanted:
            expect(by < 0.05, f"token {i} is {is_found}, must be {is_wanted}, ahead by {by:.3f}")
            break
    (made / "stereo.wav").write_bytes((made / "sound.wav").read_bytes().replace(b"\x10\0\0\0\x01\0\x01\0", b"\x10\0\0\0\x01\0\x02\0", 1))
    for file, words in (("stereo.wav", ["2 channels", "1 channel"]), ("nothing.wav", ["no WAV file"])):
        told = run(program[0], [*program[1:], made / "heard", made / file, "1"], made)
        expect(told.returncode == 1 and all(word in told.stdout for word in words), f"{file}: {told.returncode}, {told.stdout}")


def refuse(made):
    """What is wrong, and the words that must be said of it."""
    network = Whisper(SMALL)
    tensors = draw(network, np.random.default_rng(1))
    without = {name: value for name, value in tensors.items() if name != "model.decoder.layers.1.encoder_attn.q_proj.weight"}
    other = {**tensors, "model.encoder.conv1.weight": np.ones((32, 20, 5), np.float32)}
    whole = draw(Whisper(WIDE), np.random.default_rng(2))
    fewer = {**whole, "model.decoder.embed_tokens.weight": np.ones((20000, 16), np.float32)}
    np.save(made / "mel.npy", np.zeros((1, 20, 60), np.float16))
    for number, (config, stored, part, words, code) in enumerate((
            ({**SMALL, "activation_function": "relu"}, tensors, "encoder", ["activation_function", "relu", "gelu"], 2),
            ({**SMALL, "scale_embedding": True}, tensors, "encoder", ["scale_embedding", "true"], 2),
            ({**SMALL, "tie_word_embeddings": False}, tensors, "decoder", ["tie_word_embeddings", "false"], 2),
            ({**SMALL, "is_encoder_decoder": False}, tensors, "decoder", ["is_encoder_decoder", "false"], 2),
            ({**SMALL, "architectures": ["WhisperForAudioClassification"]}, tensors, "encoder", ["WhisperForAudioClassification", "WhisperModel"], 2),
            ({**SMALL, "num_hidden_layers": 3}, tensors, "encoder", ["num_hidden_layers", "3", "encoder_layers", "2"], 2),
            ({**SMALL, "d_model": 30}, tensors, "encoder", ["multiple of the heads"], 2),
            ({**SMALL, "num_mel_bins": 0}, tensors, "encoder", ["1 to 4096"], 2),
            (SMALL, without, "step", ["decoder_layers_1_encoder_attn_q_proj_weight", "do not have"], 2),
            (SMALL, other, "encoder", ["model.encoder.conv1.weight", "[32, 20, 5]", "[32, 20, 1, 3]"], 2),
            (WIDE, fewer, "decoder", ["model.decoder.embed_tokens.weight", "[20000, 16]", "[20001, 16]"], 2),
            (SMALL, {**tensors, "head.bias": np.ones(3, np.float32)}, "cross", ["head.bias", "left out"], 0),
            (SMALL, without, "encoder", [], 0))):
        place = made / f"refused {number}"
        folder_of(place, config, stored)
        arguments = ["run", str(place), "-i", "mel=mel.npy", "-o", "out.npz"] if code else ["check", str(place), "-t", "h13"]
        told = run(PROGRAM, [*arguments, "--function", part], made)
        expect(told.returncode == code and all(word in told.stderr + told.stdout for word in words), f"case {number}: {told.returncode}, {told.stderr}{told.stdout}")
    for arguments, words in ((["cost", "whisper-tiny"], ["several programs", "encoder", "cross", "decoder", "step"]),
                             (["check", "whisper-tiny", "--function", "image"], ["no image", "encoder"]),
                             (["cost", "whisper-tiny", "--function", "encoder", "--image", "pixels"], ["pixels", "has none"]),
                             (["check", "whisper-tiny", "--function", "encoder", "--context", "1501"], ["--context", "1501", "1500"]),
                             (["check", "whisper-tiny", "--function", "step", "--context", "449"], ["fewer positions", "449", "448"])):
        told = run(PROGRAM, arguments, made)
        expect(told.returncode != 0 and all(word in told.stderr for word in words), f"{arguments}: {told.returncode} {told.stderr}")


def fewer_frames(made):
    """A part has its own length: that of the encoder is none of the decoder's."""
    told = run(PROGRAM, ["cost", "whisper-tiny", "--function", "encoder", "--context", "700", "-t", "h13"], made)
    expect(told.returncode == 0, f"700 frames: {told.stderr}")


def main():
    with tempfile.TemporaryDirectory() as made:
        compare(pathlib.Path(made))
        transcribe(pathlib.Path(made))
        refuse(pathlib.Path(made))
        fewer_frames(pathlib.Path(made))
        for layout in ("rows", "channels"):
            told = run(PROGRAM, ["check", "whisper-tiny", "--layout", layout, "-t", "macs"], made)
            expect(told.returncode == 0, f"whisper-tiny, {layout}: {told.stdout}{told.stderr}")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
