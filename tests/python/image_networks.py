#!/usr/bin/env python3
"""Published image networks against networks of torch.nn in float64 that are written here from the papers: random weights under the
names of torchvision, timm and transformers, as a folder or by name, run by the command on the CPU in both layouts. Then what is
wrong with folders, by name.

Usage: image_networks.py <command>"""

import json
import pathlib
import sys
import tempfile

import numpy as np

from _harness import command, expect, run, skip, verdict

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
from _image_networks import (ConvNext, EfficientNet, MobileNetV2, MobileNetV3, ResNet, VisionTransformer, convnext_of_timm,
                             convnext_of_transformers, efficientnet_of_timm, mobilenet_of_timm, resnet_of_transformers, vit_of_timm,
                             vit_of_transformers)
from _published_networks import cosine, draw, folder_of
from language_models import safetensors

import from_environment

PROGRAM = command()
THOROUGH = from_environment.thorough()
torch.set_num_threads(1)


# ---- cases --------------------------------------------------------------------------------------------------------------


def labels(count):
    return {"id2label": {str(i): f"LABEL_{i}" for i in range(count)}}


def cases():
    """(what it is called, the network, the size of its image, its channels, config.json, the names that tensors get)."""
    four = [8, 12, 16, 24]
    yield ("resnet, basic", ResNet([1, 2, 1, 1], four, False, 8, 1, 5), 33, 1,
           {"model_type": "resnet", "layer_type": "basic", "depths": [1, 2, 1, 1], "hidden_sizes": four, "embedding_size": 8,
            "num_channels": 1, "image_size": 33, **labels(5)}, resnet_of_transformers)
    yield ("resnet, bottleneck", ResNet([1, 1, 2, 1], [16, 32, 48, 64], True, 12, 3, 7, True, True), 64, 3,
           {"model_type": "resnet", "depths": [1, 1, 2, 1], "hidden_sizes": [16, 32, 48, 64], "embedding_size": 12, "image_size": 64,
            "downsample_in_bottleneck": True, "downsample_in_first_stage": True, **labels(7)}, resnet_of_transformers)
    yield ("convnext", ConvNext([1, 2, 1, 1], four, 4, 3, 6, 1e-5), 64, 3,
           {"model_type": "convnext", "depths": [1, 2, 1, 1], "hidden_sizes": four, "image_size": 64, "layer_norm_eps": 1e-5,
            **labels(6)}, convnext_of_transformers)
    yield ("vit", VisionTransformer(2, 32, 4, 48, 16, 3, 56, 9, 1e-5), 56, 3,
           {"model_type": "vit", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
            "patch_size": 16, "image_size": 56, "layer_norm_eps": 1e-5, **labels(9)}, vit_of_transformers)
    small = {"num_classes": 10, "pretrained_cfg": {"input_size": [3, 32, 32]}}
    yield ("timm's mobilenetv2_100", MobileNetV2(10), 32, 3, {"architecture": "mobilenetv2_100", **small}, mobilenet_of_timm)
    yield ("timm's vit_tiny", VisionTransformer(12, 192, 3, 768, 16, 3, 32, 10), 32, 3, {"architecture": "vit_tiny_patch16_224", **small}, vit_of_timm)
    yield ("torchvision's mobilenet_v2", MobileNetV2(), 224, 3, "mobilenet_v2", lambda t: t)
    yield ("timm's efficientnet_b0", EfficientNet(10), 32, 3, {"architecture": "efficientnet_b0", **small}, efficientnet_of_timm)
    yield ("torchvision's mobilenet_v3_small", MobileNetV3(MobileNetV3.SMALL, 1024), 224, 3, "mobilenet_v3_small", lambda t: t)
    if THOROUGH:
        yield ("torchvision's mobilenet_v3_large", MobileNetV3(MobileNetV3.LARGE, 1280), 224, 3, "mobilenet_v3_large", lambda t: t)
        yield ("torchvision's efficientnet_b0", EfficientNet(), 224, 3, "efficientnet_b0", lambda t: t)
        yield ("timm's resnet50", ResNet([3, 4, 6, 3], [256, 512, 1024, 2048], True, 64, 3, 10), 32, 3, {"architecture": "resnet50", **small}, lambda t: t)
        yield ("timm's convnext_tiny", ConvNext([3, 3, 9, 3], [96, 192, 384, 768], 4, 3, 10), 32, 3, {"architecture": "convnext_tiny", **small}, convnext_of_timm)
        yield ("torchvision's resnet18", ResNet([2, 2, 2, 2], [64, 128, 256, 512], False), 224, 3, "resnet18", lambda t: t)
        yield ("torchvision's convnext_tiny", ConvNext([3, 3, 9, 3], [96, 192, 384, 768]), 224, 3, "convnext_tiny", lambda t: t)
        yield ("torchvision's vit_b_16", VisionTransformer(), 224, 3, "vit_b_16", lambda t: t)


def compare(made):
    for number, (name, network, size, channels, config, names) in enumerate(cases()):
        random = np.random.default_rng([from_environment.seed(), number])
        network.eval()
        tensors = names(draw(network, random))
        image = np.asarray(random.uniform(-2, 2, (1, channels, size, size)), np.float16)
        with torch.no_grad():
            wanted = network.double()(torch.from_numpy(image.astype(np.float64))).numpy()
        place = made / str(number)
        if isinstance(config, str):
            place.mkdir()
            safetensors(place / "tensors.safetensors", tensors, "F32")
            model = [config, "--weights", str(place / "tensors.safetensors")]
        else:
            folder_of(place, config, tensors)
            model = [str(place)]
        np.save(made / "image.npy", image)
        for layout in ("rows", "channels"):
            if layout == "channels" and "vit" not in name:
                continue
            if layout == "rows" and number == 0: # the configuration alone, and the tensors beside it
                alone = made / "alone"
                alone.mkdir()
                (alone / "config.json").write_text(json.dumps(config))
                model = [str(alone), "--weights", str(place / "model.safetensors")]
            told = run(PROGRAM, ["run", *model, "-i", "image=image.npy", "-o", "out.npz", "--layout", layout], made)
            expect(told.returncode == 0, f"{name}, {layout}: {told.stderr}")
            if told.returncode == 0:
                found = cosine(np.load(made / "out.npz")["logits"], wanted)
                expect(found >= 0.9999, f"{name}, {layout}: cosine {found:.6f}")


def pixels(made):
    """A camera's bytes, normalized by the graph as the files of each library say."""
    mean, deviation = [0.4, 0.5, 0.6], [0.2, 0.3, 0.25]
    found = list(cases())
    for number, (name, beside) in enumerate((("resnet, bottleneck", {"image_mean": mean, "image_std": deviation}), ("vit", None),
                                             ("timm's mobilenetv2_100", {"mean": mean, "std": deviation}))):
        _, network, size, channels, config, names = next(each for each in found if each[0] == name)
        random = np.random.default_rng([from_environment.seed(), 100 + number])
        network.eval()
        place = made / f"pixels {number}"
        if "architecture" in config:
            config = {**config, "pretrained_cfg": {**config["pretrained_cfg"], **beside}}
        folder_of(place, config, names(draw(network, random)))
        if beside and "architecture" not in config:
            (place / "preprocessor_config.json").write_text(json.dumps(beside))
        image = random.integers(0, 256, (1, channels, size, size)).astype(np.uint8)
        m, d = (np.reshape(each, (1, 3, 1, 1)) for each in ((mean, deviation) if beside else ([0.5] * 3, [0.5] * 3)))
        with torch.no_grad():
            wanted = network.double()(torch.from_numpy((image / 255 - m) / d)).numpy()
        np.save(made / "image.npy", image)
        told = run(PROGRAM, ["run", str(place), "-i", "image=image.npy", "-o", "out.npz", "--image", "pixels"], made)
        expect(told.returncode == 0, f"{name}, pixels: {told.stderr}")
        if told.returncode == 0:
            cosine_of = cosine(np.load(made / "out.npz")["logits"], wanted)
            expect(cosine_of >= 0.9999, f"{name}, pixels: cosine {cosine_of:.6f}")


def refuse(made):
    """What is wrong, and the words that must be said of it."""
    _, network, _, _, config, names = next(cases())
    tensors = names(draw(network, np.random.default_rng(1)))
    negative = dict(tensors)
    variance = next(name for name in tensors if name.endswith("running_var"))
    negative[variance] = -np.ones_like(tensors[variance])
    other = dict(tensors)
    other["classifier.1.weight"] = np.ones((4, 24), np.float32)
    missing = {name: value for name, value in tensors.items() if "stages.2.layers.0.layer.1.convolution" not in name}
    extra = {**tensors, "head.bias": np.ones(3, np.float32)}
    half = {name: value for name, value in tensors.items() if name != variance}
    scale = variance.replace("running_var", "weight")
    nothing = {**tensors, scale: np.full_like(tensors[scale], np.nan)}
    first = next(name for name in tensors if name.startswith("resnet."))
    twice = {**tensors, first[len("resnet."):]: tensors[first]}
    for number, (given, stored, words, code) in enumerate((
            ({**config, "hidden_act": "gelu"}, tensors, ["hidden_act", "gelu", "relu"], 2),
            ({**config, "depths": [1, 2]}, tensors, ["depths", "four"], 2),
            ({**config, "layer_type": "wide"}, tensors, ["layer_type", "wide", "bottleneck"], 2),
            ({**config, "image_size": 0}, tensors, ["1 to 16384"], 2),
            ({**config, "embedding_size": -8}, tensors, ["embedding_size", "-8"], 2),
            ({"architecture": "efficientnet_b9"}, tensors, ["efficientnet_b9", "mobilenetv2_100"], 2),
            (config, negative, [variance, "-1", "from 0 on"], 2),
            (config, half, [variance[len("resnet."):].replace(".", "_"), "part of a batch norm", "do not have"], 2),
            (config, nothing, [scale, "nan", "scale of a batch norm"], 2),
            (config, twice, ["stands there twice"], 2),
            (config, other, ["classifier.1.weight", "[4, 24]", "[5, 24]"], 2),
            (config, missing, ["stages_2_layers_0_layer_1_convolution_weight", "do not have"], 2),
            (config, extra, ["head.bias", "left out"], 0))):
        place = made / f"refused {number}"
        folder_of(place, given, stored)
        np.save(made / "image.npy", np.zeros((1, 1, 33, 33), np.float16))
        told = run(PROGRAM, ["run", str(place), "-i", "image=image.npy", "-o", "out.npz"] if code else ["check", str(place), "-t", "h13"], made)
        expect(told.returncode == code and all(word in told.stderr + told.stdout for word in words),
               f"case {number}: {told.returncode}, {told.stderr}{told.stdout}")
    place = made / "odd pixels"
    folder_of(place, config, tensors)
    for number, (beside, words) in enumerate(((b"[1, 2", ["preprocessor_config.json"]), (b'{"image_mean": [0.5], "image_std": [0]}', ["image_std", "0.001"]),
                                              (b'{"image_mean": "grey", "image_std": 1}', ["image_mean"]))):
        (place / "preprocessor_config.json").write_bytes(beside)
        told = run(PROGRAM, ["check", str(place), "-t", "h13", "--image", "pixels"], made)
        expect(told.returncode != 0 and all(word in told.stderr + told.stdout for word in words), f"pixels {number}: {told.returncode}, {told.stderr}{told.stdout}")
    told = run(PROGRAM, ["check", str(place), "-t", "h13"], made)
    expect(told.returncode == 0, f"normalized, with odd statistics of pixels: {told.stderr}{told.stdout}")
    for arguments, words in ((["run", "resnet18", "-o", "out.npz"], ["resnet18", "--weights"]),
                             (["check", "resnet18", "--context", "5"], ["--context", "texts"]),
                             (["check", "resnet18", "-s", "image=1,3,8,8"], ["--shape", "configuration"]),
                             (["generate", "resnet18", "--tokens", "1,2"], ["resnet18", "language model"]),
                             (["check", "resnet18", "--layout", "sideways"], ["--layout", "sideways", "channels"]),
                             (["check", "resnet19"], ["resnet19", "does not exist"])):
        told = run(PROGRAM, arguments, made)
        expect(told.returncode != 0 and all(word in told.stderr for word in words), f"{arguments}: {told.stderr}")


def main():
    with tempfile.TemporaryDirectory() as made:
        compare(pathlib.Path(made))
        pixels(pathlib.Path(made))
        refuse(pathlib.Path(made))
        for arguments in (["check", "vit_b_16", "--layout", "channels", "-t", "macs"], ["check", "resnet50", "-t", "macs"],
                          ["cost", "mobilenet_v2", "-t", "h17s"], ["convert", "resnet18", "--weights", "zeros", "--to", "mil", "-o", "converted"]):
            told = run(PROGRAM, arguments, made)
            expect(told.returncode == 0, f"{arguments}: {told.stdout}{told.stderr}")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
