#!/usr/bin/env python3
"""Published image networks against networks of torch.nn in float64 that are written here from the papers: random weights under the
names of torchvision, timm and transformers, as a folder or by name, run by the command on the CPU in both layouts. Then what is
wrong with folders, by name.

Usage: image_networks.py <command>"""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

from _harness import command, expect, run, skip, verdict

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
from language_models import safetensors
from torch import nn

import from_environment

PROGRAM = command()
THOROUGH = from_environment.thorough()
torch.set_num_threads(1)


# ---- the networks, with the names of torchvision ------------------------------------------------------------------------


class Residual(nn.Module):
    def __init__(self, before, width, stride, bottleneck, strides_first):
        super().__init__()
        inner = width // 4 if bottleneck else width
        sizes = [(1, before, inner), (3, inner, inner), (1, inner, width)] if bottleneck else [(3, before, inner), (3, inner, width)]
        strided = 1 if bottleneck and not strides_first else 0
        self.count = len(sizes)
        for i, (size, of, to) in enumerate(sizes):
            setattr(self, f"conv{i + 1}", nn.Conv2d(of, to, size, stride if i == strided else 1, size // 2, bias=False))
            setattr(self, f"bn{i + 1}", nn.BatchNorm2d(to))
        self.downsample = nn.Sequential(nn.Conv2d(before, width, 1, stride, bias=False), nn.BatchNorm2d(width)) \
            if stride != 1 or before != width else nn.Identity()

    def forward(self, x):
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            y = y.relu() if i < self.count else y
        return (y + self.downsample(x)).relu()


class ResNet(nn.Module):
    def __init__(self, depths, widths, bottleneck, stem=64, channels=3, classes=1000, strides_first=False, halves_first=False):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, stem, 7, 2, 3, bias=False), nn.BatchNorm2d(stem)
        before = stem
        for s, (depth, width) in enumerate(zip(depths, widths)):
            blocks = []
            for i in range(depth):
                blocks.append(Residual(before, width, 2 if i == 0 and (s > 0 or halves_first) else 1, bottleneck, strides_first))
                before = width
            setattr(self, f"layer{s + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(before, classes)

    def forward(self, x):
        x = nn.functional.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, 2, 1)
        for s in range(1, 5):
            x = getattr(self, f"layer{s}")(x)
        return self.fc(x.mean((2, 3)))


def normed(of, to, size=1, stride=1, groups=1):
    return [nn.Conv2d(of, to, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(to)]


class Inverted(nn.Module):
    def __init__(self, before, width, stride, expansion):
        super().__init__()
        inner = before * expansion
        parts = [] if expansion == 1 else [nn.Sequential(*normed(before, inner), nn.ReLU6())]
        parts.append(nn.Sequential(*normed(inner, inner, 3, stride, inner), nn.ReLU6()))
        self.conv = nn.Sequential(*parts, *normed(inner, width))
        self.adds = stride == 1 and before == width

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(nn.Module):
    STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self, classes=1000):
        super().__init__()
        parts, before = [nn.Sequential(*normed(3, 32, 3, 2), nn.ReLU6())], 32
        for expansion, width, depth, stride in self.STAGES:
            for i in range(depth):
                parts.append(Inverted(before, width, stride if i == 0 else 1, expansion))
                before = width
        self.features = nn.Sequential(*parts, nn.Sequential(*normed(320, 1280), nn.ReLU6()))
        self.classifier = nn.Sequential(nn.Dropout(), nn.Linear(1280, classes))

    def forward(self, x):
        return self.classifier[1](self.features(x).mean((2, 3)))


class Squeeze(nn.Module):
    def __init__(self, width, inner, first, last):
        super().__init__()
        self.fc1, self.fc2, self.first, self.last = nn.Conv2d(width, inner, 1), nn.Conv2d(inner, width, 1), first, last

    def forward(self, x):
        return x * self.last(self.fc2(self.first(self.fc1(x.mean((2, 3), keepdim=True)))))


class MobileBlock(nn.Module):
    def __init__(self, before, window, inner, width, squeeze, function, stride, epsilon):
        super().__init__()
        norm = lambda of, to, size, step, groups: nn.Sequential(
            nn.Conv2d(of, to, size, step, size // 2, groups=groups, bias=False), nn.BatchNorm2d(to, epsilon), function())
        parts = [norm(before, inner, 1, 1, 1)] if inner != before else []
        parts.append(norm(inner, inner, window, stride, inner))
        if squeeze:
            parts.append(squeeze(inner))
        self.block = nn.Sequential(*parts, nn.Sequential(nn.Conv2d(inner, width, 1, bias=False), nn.BatchNorm2d(width, epsilon)))
        self.adds = stride == 1 and before == width

    def forward(self, x):
        return x + self.block(x) if self.adds else self.block(x)


class MobileNetV3(nn.Module):
    """Window, channels between, channels given, whether it squeezes, hard swish or ReLU, stride."""

    LARGE = [(3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1),
             (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1),
             (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1)]
    SMALL = [(3, 16, 16, 1, 0, 2), (3, 72, 24, 0, 0, 2), (3, 88, 24, 0, 0, 1), (5, 96, 40, 1, 1, 2), (5, 240, 40, 1, 1, 1),
             (5, 240, 40, 1, 1, 1), (5, 120, 48, 1, 1, 1), (5, 144, 48, 1, 1, 1), (5, 288, 96, 1, 1, 2), (5, 576, 96, 1, 1, 1),
             (5, 576, 96, 1, 1, 1)]
    SQUEEZED = {16: 8, 72: 24, 96: 24, 120: 32, 144: 40, 240: 64, 288: 72, 480: 120, 576: 144, 672: 168, 960: 240}  # as published

    def __init__(self, stages, last, classes=1000):
        super().__init__()
        function = lambda hard: nn.Hardswish if hard else nn.ReLU
        parts = [nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16, 1e-3), nn.Hardswish())]
        before = 16
        for window, inner, width, squeezes, hard, stride in stages:
            squeeze = (lambda of: Squeeze(of, self.SQUEEZED[of], nn.ReLU(), nn.Hardsigmoid())) if squeezes else None
            parts.append(MobileBlock(before, window, inner, width, squeeze, function(hard), stride, 1e-3))
            before = width
        end = 6 * before
        parts.append(nn.Sequential(nn.Conv2d(before, end, 1, bias=False), nn.BatchNorm2d(end, 1e-3), nn.Hardswish()))
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(nn.Linear(end, last), nn.Hardswish(), nn.Dropout(), nn.Linear(last, classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class EfficientNet(nn.Module):
    STAGES = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]

    def __init__(self, classes=1000):
        super().__init__()
        parts = [nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.SiLU())]
        before = 32
        for times, window, stride, width, depth in self.STAGES:
            blocks = []
            for i in range(depth):
                squeeze = lambda of, inner=before // 4: Squeeze(of, inner, nn.SiLU(), nn.Sigmoid())
                blocks.append(MobileBlock(before, window, before * times, width, squeeze, nn.SiLU, stride if i == 0 else 1, 1e-5))
                before = width
            parts.append(nn.Sequential(*blocks))
        parts.append(nn.Sequential(nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.SiLU()))
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(nn.Dropout(), nn.Linear(1280, classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class ChannelNorm(nn.LayerNorm):
    """Over the channels of [N, C, H, W]."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Swap(nn.Module):
    def __init__(self, *order):
        super().__init__()
        self.order = order

    def forward(self, x):
        return x.permute(*self.order)


class ConvNextBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.block = nn.Sequential(nn.Conv2d(width, width, 7, padding=3, groups=width), Swap(0, 2, 3, 1), nn.LayerNorm(width, 1e-6),
                                   nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), Swap(0, 3, 1, 2))
        self.layer_scale = nn.Parameter(torch.ones(width, 1, 1))

    def forward(self, x):
        return x + self.layer_scale * self.block(x)


class ConvNext(nn.Module):
    def __init__(self, depths, widths, patch=4, channels=3, classes=1000, last_epsilon=1e-6):
        super().__init__()
        parts = [nn.Sequential(nn.Conv2d(channels, widths[0], patch, patch), ChannelNorm(widths[0], 1e-6))]
        for s, (depth, width) in enumerate(zip(depths, widths)):
            if s > 0:
                parts.append(nn.Sequential(ChannelNorm(widths[s - 1], 1e-6), nn.Conv2d(widths[s - 1], width, 2, 2)))
            parts.append(nn.Sequential(*[ConvNextBlock(width) for _ in range(depth)]))
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(ChannelNorm(widths[3], last_epsilon), nn.Flatten(), nn.Linear(widths[3], classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3), keepdim=True))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner, epsilon):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)
        self.self_attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Dropout(0), nn.Linear(inner, width))

    def forward(self, x):
        n = self.ln_1(x)
        x = x + self.self_attention(n, n, n)[0]
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    def __init__(self, tokens, layers, width, heads, inner, epsilon):
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.zeros(1, tokens, width))
        self.layers = nn.Sequential()
        for i in range(layers):
            self.layers.add_module(f"encoder_layer_{i}", EncoderLayer(width, heads, inner, epsilon))
        self.ln = nn.LayerNorm(width, epsilon)

    def forward(self, x):
        return self.ln(self.layers(x + self.pos_embedding))


class VisionTransformer(nn.Module):
    def __init__(self, layers=12, width=768, heads=12, inner=3072, patch=16, channels=3, size=224, classes=1000, epsilon=1e-6):
        super().__init__()
        self.conv_proj = nn.Conv2d(channels, width, patch, patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.encoder = Encoder((size // patch) ** 2 + 1, layers, width, heads, inner, epsilon)
        self.heads = nn.Sequential()
        self.heads.add_module("head", nn.Linear(width, classes))

    def forward(self, x):
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        return self.heads(self.encoder(torch.cat([self.class_token, x], 1))[:, 0])


# ---- the names of the other libraries -----------------------------------------------------------------------------------


def renamed(tensors, *rules):
    """Each name by the first rule that fits it."""
    found = {}
    for name, value in tensors.items():
        for pattern, instead in rules:
            if re.match(pattern, name):
                name = re.sub(pattern, instead, name, 1)
                break
        found[name] = value
    return found


def resnet_of_transformers(tensors):
    return renamed(tensors, (r"conv1\.", "resnet.embedder.embedder.convolution."), (r"bn1\.", "resnet.embedder.embedder.normalization."),
                   (r"fc\.", "classifier.1."),
                   (r"layer(\d)\.(\d+)\.conv(\d)", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.layer.{int(m[3]) - 1}.convolution"),
                   (r"layer(\d)\.(\d+)\.bn(\d)", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.layer.{int(m[3]) - 1}.normalization"),
                   (r"layer(\d)\.(\d+)\.downsample\.0", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.shortcut.convolution"),
                   (r"layer(\d)\.(\d+)\.downsample\.1", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.shortcut.normalization"))


def convnext_of(tensors, stem, block, halving, parts, last, head):
    dw, norm, up, down, scale = parts
    stage = lambda m: (int(m[1]) - 1) // 2
    named = {"block.0": dw, "block.2": norm, "block.3": up, "block.5": down, "layer_scale": scale}
    result = renamed(tensors, (r"features\.0\.0", stem[0]), (r"features\.0\.1", stem[1]), (r"classifier\.0", last),
                     (r"classifier\.2", head),
                     (r"features\.([1357])\.(\d+)\.(block\.\d|layer_scale)", lambda m: block(stage(m), m[2]) + named[m[3]]),
                     (r"features\.([246])\.(\d)", lambda m: halving(int(m[1]) // 2, m[2])))
    return {name: value.reshape(-1) if name.endswith(scale) else value for name, value in result.items()}


def convnext_of_transformers(tensors):
    return convnext_of(tensors, ("convnext.embeddings.patch_embeddings", "convnext.embeddings.layernorm"),
                       lambda s, i: f"convnext.encoder.stages.{s}.layers.{i}.",
                       lambda s, k: f"convnext.encoder.stages.{s}.downsampling_layer.{k}",
                       ("dwconv", "layernorm", "pwconv1", "pwconv2", "layer_scale_parameter"), "convnext.layernorm", "classifier")


def convnext_of_timm(tensors):
    return convnext_of(tensors, ("stem.0", "stem.1"), lambda s, i: f"stages.{s}.blocks.{i}.", lambda s, k: f"stages.{s}.downsample.{k}",
                       ("conv_dw", "norm", "mlp.fc1", "mlp.fc2", "gamma"), "head.norm", "head.fc")


def vit_of_timm(tensors):
    return renamed(tensors, (r"class_token", "cls_token"), (r"encoder\.pos_embedding", "pos_embed"), (r"conv_proj", "patch_embed.proj"),
                   (r"encoder\.ln", "norm"), (r"heads\.head", "head"),
                   *[(r"encoder\.layers\.encoder_layer_(\d+)\." + of, r"blocks.\1." + to) for of, to in
                     (("ln_1", "norm1"), ("ln_2", "norm2"), ("self_attention.in_proj_", "attn.qkv."), ("self_attention.out_proj", "attn.proj"),
                      (r"mlp\.0", "mlp.fc1"), (r"mlp\.3", "mlp.fc2"))])


def vit_of_transformers(tensors):
    found = renamed(tensors, (r"class_token", "vit.embeddings.cls_token"), (r"encoder\.pos_embedding", "vit.embeddings.position_embeddings"),
                    (r"conv_proj", "vit.embeddings.patch_embeddings.projection"), (r"encoder\.ln", "vit.layernorm"), (r"heads\.head", "classifier"),
                    *[(r"encoder\.layers\.encoder_layer_(\d+)\." + of, r"vit.encoder.layer.\1." + to) for of, to in
                      (("ln_1", "layernorm_before"), ("ln_2", "layernorm_after"), ("self_attention.in_proj_", "joined."),
                       ("self_attention.out_proj", "attention.output.dense"), (r"mlp\.0", "intermediate.dense"), (r"mlp\.3", "output.dense"))])
    for name in [each for each in found if ".joined." in each]:
        for part, rows in zip(("query", "key", "value"), np.split(found.pop(name), 3)):
            found[name.replace("joined", f"attention.attention.{part}")] = rows
    return found


def mobilenet_of_timm(tensors):
    places, number = {}, 0
    for s, (expansion, _, depth, _) in enumerate(MobileNetV2.STAGES):
        for i in range(depth):
            number += 1
            places[number] = (f"blocks.{s}.{i}.", ["conv_dw", "bn1", "conv_pw", "bn2"] if expansion == 1 else
                              ["conv_pw", "bn1", "conv_dw", "bn2", "conv_pwl", "bn3"])
    order = {False: ["conv.0.0", "conv.0.1", "conv.1", "conv.2"], True: ["conv.0.0", "conv.0.1", "conv.1.0", "conv.1.1", "conv.2", "conv.3"]}

    def block(m):
        place, parts = places[int(m[1])]
        return place + parts[order[len(parts) == 6].index(m[2])] + "."

    return renamed(tensors, (r"features\.0\.0\.", "conv_stem."), (r"features\.0\.1\.", "bn1."), (r"features\.18\.0\.", "conv_head."),
                   (r"features\.18\.1\.", "bn2."), (r"classifier\.1\.", "classifier."), (r"features\.(\d+)\.(conv\.\d(?:\.\d)?)\.", block))


def efficientnet_of_timm(tensors):
    def block(m):
        first = int(m[1]) == 1
        order = ["conv_dw", "bn1", "se", "conv_pw", "bn2"] if first else ["conv_pw", "bn1", "conv_dw", "bn2", "se", "conv_pwl", "bn3"]
        steps = [2, 0, 2] if first else [2, 2, 0, 2]  # parts of a step that are counted
        at = sum(each or 1 for each in steps[:int(m[3])])
        if m[4].startswith("fc"):
            return f"blocks.{int(m[1]) - 1}.{m[2]}.se." + {"fc1": "conv_reduce", "fc2": "conv_expand"}[m[4]] + "."
        return f"blocks.{int(m[1]) - 1}.{m[2]}." + order[at + int(m[4])] + "."

    return renamed(tensors, (r"features\.0\.0\.", "conv_stem."), (r"features\.0\.1\.", "bn1."), (r"features\.8\.0\.", "conv_head."),
                   (r"features\.8\.1\.", "bn2."), (r"classifier\.1\.", "classifier."),
                   (r"features\.(\d)\.(\d)\.block\.(\d)\.(\d|fc\d)\.", block))


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


def draw(network, random):
    """Random weights that keep values of the order of one, and statistics of batch norms that are not trivial."""
    with torch.no_grad():
        for name, value in network.state_dict().items():
            if name.endswith("num_batches_tracked"):
                continue
            shape = tuple(value.shape)
            if name.endswith("running_var"):
                made = random.uniform(0.5, 2, shape)
            elif len(shape) >= 2 and min(shape[0], shape[1]) > 1 or "conv" in name and len(shape) == 4:
                made = random.standard_normal(shape) * (1.5 / np.prod(shape[1:])) ** 0.5
            elif name.endswith("weight") or "scale" in name:
                made = 1 + 0.1 * random.standard_normal(shape)
            else:
                made = 0.1 * random.standard_normal(shape)
            value.copy_(torch.from_numpy(np.asarray(made, np.float32)))
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


def cosine(a, b):
    a, b = np.ravel(a).astype(np.float64), np.ravel(b).astype(np.float64)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def folder_of(path, config, tensors, kind="F32"):
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(config))
    safetensors(path / "model.safetensors", tensors, kind)


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
    for number, (given, stored, words, code) in enumerate((
            ({**config, "hidden_act": "gelu"}, tensors, ["hidden_act", "gelu", "relu"], 2),
            ({**config, "depths": [1, 2]}, tensors, ["depths", "four"], 2),
            ({**config, "layer_type": "wide"}, tensors, ["layer_type", "wide", "bottleneck"], 2),
            ({**config, "image_size": 0}, tensors, ["1 to 16384"], 2),
            ({**config, "embedding_size": -8}, tensors, ["embedding_size", "-8"], 2),
            ({"architecture": "efficientnet_b9"}, tensors, ["efficientnet_b9", "mobilenetv2_100"], 2),
            (config, negative, [variance, "-1", "from 0 on"], 2),
            (config, other, ["classifier.1.weight", "[4, 24]", "[5, 24]"], 2),
            (config, missing, ["stages_2_layers_0_layer_1_convolution_weight", "do not have"], 2),
            (config, extra, ["head.bias", "left out"], 0))):
        place = made / f"refused {number}"
        folder_of(place, given, stored)
        np.save(made / "image.npy", np.zeros((1, 1, 33, 33), np.float16))
        told = run(PROGRAM, ["run", str(place), "-i", "image=image.npy", "-o", "out.npz"] if code else ["check", str(place), "-t", "h13"], made)
        expect(told.returncode == code and all(word in told.stderr + told.stdout for word in words),
               f"case {number}: {told.returncode}, {told.stderr}{told.stdout}")
    for arguments, words in ((["run", "resnet18", "-o", "out.npz"], ["resnet18", "--weights"]),
                             (["check", "resnet18", "--context", "5"], ["--context", "language"]),
                             (["check", "resnet18", "-s", "image=1,3,8,8"], ["--shape", "configuration"]),
                             (["generate", "resnet18", "--tokens", "1,2"], ["resnet18", "image network"]),
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
