"""What the tests of published networks share: random weights, folders in the published form, and how near numbers are."""

import json

import numpy as np
import torch

from language_models import safetensors


def draw(network, random):
    """Random weights that keep values of the order of one, and statistics of batch norms that are not trivial."""
    with torch.no_grad():
        for name, value in network.state_dict().items():
            if name.endswith(("num_batches_tracked", "relative_position_index", "dfl.conv.weight")):  # nothing that is learned
                continue
            shape = tuple(value.shape)
            if name.endswith("running_var"):
                made = random.uniform(0.5, 2, shape)
            elif len(shape) == 4 and shape[1:] != (1, 1) or len(shape) == 2:
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
