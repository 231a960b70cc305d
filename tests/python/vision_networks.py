#!/usr/bin/env python3
"""Swin transformers, detectors, super-resolution and the networks of Stable Diffusion against networks of torch.nn in float64 that are
written from the papers: random weights under the names that their libraries publish, as a folder or by name, run by the command on
the CPU in both layouts. Then what is wrong with folders, by name.

Usage: vision_networks.py <command>"""

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
from _diffusion_networks import Autoencoder, UNet, older_names
from _image_networks import ResNet, resnet_of_transformers
from _vision_networks import Espcn, Swin, Yolo, swin_of_timm, swin_of_transformers
from image_networks import cosine, draw, folder_of, labels
from language_models import safetensors

import from_environment

PROGRAM = command()
THOROUGH = from_environment.thorough()
SAME = lambda tensors: tensors


class Case:
    """A network, its ports, and where its files are."""

    def __init__(self, made, number, name, network, config, names=SAME):
        self.made, self.name, self.network = made, name, network.eval()
        self.random = np.random.default_rng([from_environment.seed(), number])
        tensors = names(draw(network, self.random))
        self.network.double()
        place = made / str(number)
        if isinstance(config, str):
            place.mkdir(exist_ok=True)
            safetensors(place / "tensors.safetensors", tensors, "F32")
            self.model = [config, "--weights", str(place / "tensors.safetensors")]
        else:
            folder_of(place, config, tensors)
            if "_class_name" in config:
                (place / "model.safetensors").rename(place / "diffusion_pytorch_model.safetensors")
            self.model = [str(place)]

    def drawn(self, *shape, low=-2, high=2):
        return np.asarray(self.random.uniform(low, high, shape), np.float16)

    def compare(self, output, wanted, inputs, layouts=("rows", "channels"), arguments=(), parts=None):
        """`wanted`, a function of the inputs in float64, against the command; `parts`: rows of the result that are compared apart."""
        with torch.no_grad():
            wanted = wanted(*(torch.from_numpy(value.astype(np.float64)) for value in inputs.values())).numpy()
        for layout in layouts:
            given = dict(inputs)
            if layout == "channels" and "text" in given:
                given["text"] = given["text"].T[None, :, None]
            for key, value in given.items():
                np.save(self.made / f"{key}.npy", np.ascontiguousarray(value))
            ports = [word for key in given for word in ("-i", f"{key}={key}.npy")]
            told = run(PROGRAM, ["run", *self.model, *ports, "-o", "out.npz", "--layout", layout, *arguments], self.made)
            expect(told.returncode == 0, f"{self.name}, {layout}: {told.stderr}")
            expect("left out" not in told.stderr, f"{self.name}, {layout}: {told.stderr}")
            if told.returncode == 0:
                found = np.load(self.made / "out.npz")[output]
                expect(found.shape == wanted.shape, f"{self.name}, {layout}: {found.shape}, not {wanted.shape}")
                for part in parts or [slice(None)]:
                    same = cosine(found[:, part], wanted[:, part])
                    expect(same >= 0.9999, f"{self.name}, {layout}, {part}: cosine {same:.6f}")


SMALL_SWIN = {"model_type": "swin", "depths": [2, 2, 1, 2], "num_heads": [1, 2, 2, 4], "embed_dim": 16, "window_size": 3, "patch_size": 2,
              "image_size": 48, "mlp_ratio": 2.0, "layer_norm_eps": 1e-5, "qkv_bias": False, **labels(7)}
SMALL_UNET = {"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.6.0", "act_fn": "silu", "attention_head_dim": [2, 2, 4, 4],
              "block_out_channels": [16, 32, 32, 32], "center_input_sample": False, "cross_attention_dim": 24,
              "down_block_types": ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"], "downsample_padding": 1, "flip_sin_to_cos": True,
              "freq_shift": 0, "in_channels": 4, "layers_per_block": 1, "mid_block_scale_factor": 1, "norm_eps": 1e-05,
              "norm_num_groups": 8, "out_channels": 4, "sample_size": 16,
              "up_block_types": ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3}
SMALL_VAE = {"_class_name": "AutoencoderKL", "act_fn": "silu", "block_out_channels": [4, 4, 8, 8],
             "down_block_types": ["DownEncoderBlock2D"] * 4, "in_channels": 3, "latent_channels": 4, "layers_per_block": 1,
             "norm_num_groups": 2, "out_channels": 3, "sample_size": 136, "up_block_types": ["UpDecoderBlock2D"] * 4}


def swin(made):
    small = Swin((2, 2, 1, 2), (1, 2, 2, 4), 16, 3, 2, 2, 3, 7, 1e-5, False)
    case = Case(made, 0, "swin", small, SMALL_SWIN, swin_of_transformers)
    case.compare("logits", case.network, {"image": case.drawn(1, 3, 48, 48)})
    whole = Swin()
    for number, (name, names, config) in enumerate((("torchvision's swin_t", SAME, "swin_t"),
                                                    ("timm's swin_tiny", swin_of_timm, {"architecture": "swin_tiny_patch4_window7_224"}))):
        if THOROUGH:
            case = Case(made, 1 + number, name, whole.float(), config, names)
            case.compare("logits", case.network, {"image": case.drawn(1, 3, 224, 224)})
            continue
        if names is SAME:
            continue
        named = {key: np.zeros(value.shape, np.float16) for key, value in names(whole.state_dict()).items()}  # all are found
        safetensors(made / "named.safetensors", named, "F16")
        told = run(PROGRAM, ["check", config["architecture"], "--weights", str(made / "named.safetensors"), "-t", "h13"], made)
        expect(told.returncode == 0 and "left out" not in told.stdout + told.stderr, f"{name}: {told.stdout}{told.stderr}")


def detector(made):
    """Boxes and scores apart, for boxes are hundreds of times as large."""
    parts = [slice(0, 2), slice(2, 4), slice(4, None)]
    case = Case(made, 10, "yolov8n of three classes", Yolo(classes=3), "yolov8n")
    image = case.random.integers(0, 256, (1, 3, 640, 640)).astype(np.uint8)
    case.compare("detections", lambda x: case.network(x / 255), {"image": image}, ("rows",), ("--image", "pixels"), parts)
    if THOROUGH:
        for name, of in (("yolov8n", Yolo()), ("yolov8m", Yolo((48, 96, 192, 384, 576), (2, 4, 4, 2)))):
            case = Case(made, 11, name, of, name)
            case.compare("detections", case.network, {"image": case.drawn(1, 3, 640, 640, low=0, high=1)}, ("rows",), parts=parts)


def super_resolution(made):
    for scale in (2, 3, 4) if THOROUGH else (3,):
        case = Case(made, 20 + scale, f"espcn_x{scale}", Espcn(scale), f"espcn_x{scale}")
        case.compare("enlarged", case.network, {"image": case.drawn(1, 1, 224, 224, low=0, high=1)}, ("rows",))


def diffusion(made):
    small = UNet((16, 32, 32, 32), (2, 2, 4, 4), (True, True, True, False), 1, 24, 4, 8)
    for number, given in ((30, {}), (31, {"use_linear_projection": True})):  # a 1x1 convolution and a product of tokens are the same
        names = (lambda tensors: {name: value[..., 0, 0] if ".proj_in.weight" in name or ".proj_out.weight" in name else value
                                  for name, value in tensors.items()}) if given else SAME
        case = Case(made, number, f"unet {given}", small, {**SMALL_UNET, **given}, names)
        case.compare("noise", lambda sample, time, text: case.network(sample, time, text[None]), {
            "sample": case.drawn(1, 4, 16, 16), "time": UNet.sines(951, 16).numpy().astype(np.float16), "text": case.drawn(77, 24)})
    small = Autoencoder((4, 4, 8, 8), 1, 2)
    for number, names in ((32, SAME), (33, older_names)):
        case = Case(made, number, f"autoencoder, {names.__name__}", small, SMALL_VAE, names)
        case.compare("image", case.network.decode, {"latent": case.drawn(1, 4, 17, 17)}, arguments=("--function", "decoder"))
        case.compare("moments", case.network.encode, {"image": case.drawn(1, 3, 136, 136, low=-1, high=1)},
                     arguments=("--function", "encoder"))


def centre_of(frame, size):
    """torchvision's Resize(size, antialias=False) and CenterCrop(size)."""
    height, width = frame.shape[2:]
    longer = int(size * max(height, width) / min(height, width))
    frame = torch.nn.functional.interpolate(frame, (size, longer) if height <= width else (longer, size), mode="bilinear", align_corners=False)
    top, left = (int(round((extent - size) / 2.0)) for extent in frame.shape[2:])
    return frame[:, :, top:top + size, left:left + size]


def frames(made):
    """A camera's frame of another size, of which the graph takes the centre: larger, smaller, upright, and with a middle that is not
    a whole number of pixels."""
    for number, (height, width) in enumerate(((97, 150), (131, 70), (40, 61), (64, 100))):
        network = ResNet([1, 1, 1, 1], [8, 12, 16, 24], False, 8, 3, 5)
        case = Case(made, 50 + number, f"frame {height} x {width}", network, {
            "model_type": "resnet", "layer_type": "basic", "depths": [1] * 4, "hidden_sizes": [8, 12, 16, 24], "embedding_size": 8,
            "image_size": 64, **labels(5)}, resnet_of_transformers)
        statistics = {"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.3, 0.25]}
        (made / str(50 + number) / "preprocessor_config.json").write_text(json.dumps(statistics))
        mean, deviation = (torch.tensor(statistics[key]).double().reshape(1, 3, 1, 1) for key in ("image_mean", "image_std"))
        image = case.random.integers(0, 256, (1, 3, height, width)).astype(np.uint8)
        case.compare("logits", lambda x: case.network((centre_of(x, 64) / 255 - mean) / deviation), {"image": image}, ("rows",),
                     ("--image", "pixels", "--frame-height", str(height), "--frame-width", str(width)))
    for arguments, words in ((["resnet18", "--frame-width", "640"], ["--frame-width", "pixels"]),
                             (["resnet18", "--image", "pixels", "--frame-width", "16384", "--frame-height", "8"], ["16384", "longer"]),
                             (["sd15_unet", "--image", "pixels"], ["no pixels"])):
        told = run(PROGRAM, ["cost", *arguments, "-t", "h13"], made)
        expect(told.returncode == 2 and all(word in told.stderr for word in words), f"{arguments}: {told.returncode}, {told.stderr}")


def refuse(made):
    """What is wrong, and the words that must be said of it."""
    wrong = [(SMALL_SWIN, {"use_absolute_embeddings": True}, ["use_absolute_embeddings", "true", "false"]),
             (SMALL_SWIN, {"hidden_act": "relu"}, ["hidden_act", "relu", "gelu"]),
             (SMALL_SWIN, {"mlp_ratio": 2.5}, ["mlp_ratio", "whole"]),
             (SMALL_SWIN, {"image_size": 50}, ["8 patches times the window"]),
             (SMALL_SWIN, {"num_heads": [3, 2, 2, 4]}, ["multiple of its heads"]),
             (SMALL_UNET, {"addition_embed_type": "text_time"}, ["addition_embed_type", "not null"]),
             (SMALL_UNET, {"transformer_layers_per_block": 2}, ["transformer_layers_per_block", "2", "1"]),
             (SMALL_UNET, {"up_block_types": ["CrossAttnUpBlock2D"] * 3 + ["UpBlock2D"]}, ["up_block_types", "down"]),
             (SMALL_UNET, {"down_block_types": ["AttnDownBlock2D"] * 4}, ["down_block_types/0", "AttnDownBlock2D", "DownBlock2D"]),
             (SMALL_UNET, {"freq_shift": 1}, ["freq_shift", "1", "0"]),
             (SMALL_UNET, {"guess": 1}, ["guess", "unknown"]),
             (SMALL_VAE, {"use_quant_conv": False}, ["use_quant_conv", "false", "true"]),
             (SMALL_VAE, {"norm_num_groups": 3}, ["multiple of the groups"]),
             (SMALL_VAE, {"out_channels": 1}, ["out_channels", "in_channels"]),
             ({"_class_name": "UNet3DConditionModel"}, {}, ["_class_name", "UNet3DConditionModel", "UNet2DConditionModel"])]
    for number, (config, given, words) in enumerate(wrong):
        place = made / f"refused {number}"
        place.mkdir()
        (place / "config.json").write_text(json.dumps({**config, **given}))
        told = run(PROGRAM, ["cost", str(place), "-t", "h13"], made)
        expect(told.returncode == 2 and all(word in told.stderr for word in words), f"{given}: {told.returncode}, {told.stderr}{told.stdout}")
    case = Case(made, 40, "swin", Swin((1, 1, 1, 1), (1, 1, 1, 1), 8, 1, 1, 1, 3, 2), {
        **SMALL_SWIN, "depths": [1] * 4, "num_heads": [1] * 4, "embed_dim": 8, "window_size": 2, "patch_size": 1, "image_size": 16},
        swin_of_transformers)  # tables of a window of 1, where the configuration says 2
    told = run(PROGRAM, ["cost", *case.model, "-t", "h13"], made)
    expect(told.returncode == 2 and "relative_position_bias_table" in told.stderr and "[1, 1]" in told.stderr and "[9, 1]" in told.stderr, told.stderr)
    told = run(PROGRAM, ["cost", "sd15_vae", "-t", "h17s"], made)
    expect(told.returncode == 2 and "encoder and decoder" in told.stderr, f"sd15_vae: {told.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder)
        for each in (swin, detector, super_resolution, diffusion, frames, refuse):
            each(made)
        for arguments in (["check", "swin_t", "-t", "macs"], ["check", "yolov8n", "-t", "macs"], ["cost", "espcn_x2", "-t", "h17s"],
                          ["cost", "sd15_vae", "--function", "encoder", "--image", "pixels", "-t", "h17s"],
                          ["check", "sd15_vae", "--function", "decoder", "--layout", "channels", "-t", "macs"]):
            told = run(PROGRAM, arguments, made)
            expect(told.returncode == 0, f"{arguments}: {told.stdout}{told.stderr}")
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
