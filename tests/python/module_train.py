#!/usr/bin/env python3
"""anemone.Trainer: trains on arrays what NumPy predicts, keeps frozen weights, goes on from checkpoints, refuses what it cannot
take."""

import concurrent.futures
import pathlib
import resource
import signal
import sys
import tempfile

import numpy
from _harness import expect, skip, verdict
from _module import anemone, refused
from command_train import network, sectors  # which skips without ONNX
from onnx import TensorProto, helper, numpy_helper, save


def learns(folder):
    trainer = anemone.Trainer(anemone.Model(folder / "net.onnx", shapes={"x": (8, 2)}))
    x, labels = sectors(200, 1)
    held_out, wanted = sectors(61, 2)
    first = trainer.model
    found = trainer.train({"x": x, "wanted": labels}, validate={"x": held_out, "wanted": wanted}, epochs=12, rate=0.01,
                          schedule="cosine", warm_up=5)
    expect(found.loss.shape == (300,) and found.loss[-1] < 0.3 < found.loss[0], f"{found.loss[[0, -1]]}")
    best = min(found.validations, key=lambda v: v.loss)
    expect(best.accuracy > 0.95 and found.best_step == best.step, f"{found.best_step} {found.validations}")
    expect("300 steps of 8 samples" in str(found) and found.csv().count("\n") == 301 and "</svg>" in found.draw(), str(found))
    expect(trainer.model is found.model and found.model is not first, "the trainer has the trained model")
    logits = found.model.run({"x": held_out[:8]})["logits"]
    expect((logits.argmax(1) == wanted[:8]).sum() >= 7, f"{logits} {wanted[:8]}")
    expect(not numpy.array_equal(first.run({"x": held_out[:8]})["logits"], logits), "the first model is as it was")
    found.model.convert("mil", folder / "trained")
    expect(numpy.array_equal(anemone.run(folder / "trained", {"x": held_out[:8]})["logits"], logits), "what was written")


def is_gradient_descent(folder):
    """Steps of a linear map, as NumPy makes them."""
    w, b = numpy.array([[0.5, -0.25], [0.125, 1]]), numpy.array([0.25, -0.5])
    graph = helper.make_graph([helper.make_node("Gemm", ["x", "w", "b"], ["y"])], "map",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 2])],
                              [numpy_helper.from_array(w.astype(numpy.float32), "w"),
                               numpy_helper.from_array(b.astype(numpy.float32), "b")])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(folder / "map.onnx"))
    x = numpy.array([[-1, 0.5], [-0.5, -1], [0.5, 1], [1, 0.25]])
    y = x @ numpy.array([[2, 1], [-1, 0.5]]) + 1
    losses = []
    for _ in range(4):
        d = x @ w + b - y
        losses.append((d * d).mean())
        w, b = w - 0.25 * x.T @ d / 4, b - 0.25 * d.mean(0)
    found = anemone.Trainer(anemone.Model(folder / "map.onnx")).train({"x": x, "wanted": y}, loss="mean_squared",
                                                                      optimizer="sgd", rate=0.25, steps=4, ordered=True)
    expect(numpy.allclose(found.loss, losses, rtol=0.01), f"{found.loss} {losses}")
    expect(numpy.allclose(found.model.run({"x": x})["y"], x @ w + b, atol=0.01), f"{found.model.run({'x': x})} {w} {b}")


def goes_on(folder):
    x, labels = sectors(64, 3)
    how = dict(rate=0.01, checkpoint=str(folder / "run"), checkpoint_every=5, resume=True)
    def trained(steps, **more):
        model = anemone.Model(folder / "net.onnx", shapes={"x": (8, 2)})
        return anemone.Trainer(model).train({"x": x, "wanted": labels}, steps=steps, **more)
    trained(20, **how)
    found, whole = trained(40, **how), trained(40, rate=0.01)
    expect(found.resumed_from == 20 and numpy.array_equal(found.loss, whole.loss), f"{found.resumed_from}")
    refused(lambda: trained(50, **how, optimizer="sgd"), "argument", "checkpoint of another training")
    network(folder, "wide.onnx", 24)
    wide = anemone.Trainer(anemone.Model(folder / "wide.onnx", shapes={"x": (8, 2)}))
    refused(lambda: wide.train({"x": x, "wanted": labels}, steps=50, **how), "argument", "checkpoint of another training")


def full_disk(folder):
    """A checkpoint that has no room: an error that names it, and the last one stays."""
    x, labels = sectors(64, 6)
    how = dict(rate=0.01, checkpoint=str(folder / "full"), checkpoint_every=5, resume=True)
    model = anemone.Model(folder / "net.onnx", shapes={"x": (8, 2)})
    whole = anemone.Trainer(model).train({"x": x, "wanted": labels}, steps=20, rate=0.01)
    anemone.Trainer(model).train({"x": x, "wanted": labels}, steps=10, **how)
    before = {path.name: path.read_bytes() for path in (folder / "full").iterdir()}
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))
    try:
        refused(lambda: anemone.Trainer(model).train({"x": x, "wanted": labels}, steps=20, **how), "file", "step-000000015.safetensors")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    expect({path.name: path.read_bytes() for path in (folder / "full").iterdir()} == before, "other files than before")
    found = anemone.Trainer(model).train({"x": x, "wanted": labels}, steps=20, **how)
    expect(found.resumed_from == 10 and numpy.array_equal(found.loss, whole.loss), f"{found.resumed_from}")


def side_by_side(folder):
    """Two trainers on two threads, of one model: the losses of each alone."""
    x, labels = sectors(64, 5)
    model = anemone.Model(folder / "net.onnx", shapes={"x": (8, 2)})
    def losses(seed):
        return anemone.Trainer(model).train({"x": x, "wanted": labels}, steps=30, rate=0.01, seed=seed, threads=1).loss
    alone = [losses(seed) for seed in (1, 2)]
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        together = list(both.map(losses, (1, 2)))
    expect(all(numpy.array_equal(a, b) for a, b in zip(alone, together)), f"{alone} {together}")


def bad_input(folder):
    trainer = anemone.Trainer(anemone.Model(folder / "net.onnx", shapes={"x": (8, 2)}))
    x, labels = sectors(16, 4)
    refused(lambda: trainer.train({"x": x, "wanted": labels + 1}), "port", "is 3, classes are whole numbers from 0 to 2")
    refused(lambda: trainer.train({"x": x * numpy.nan, "wanted": labels}), "port", "samples must be finite")
    refused(lambda: trainer.train({"x": x}), "port", "wanted")
    refused(lambda: trainer.train({"x": x[:, :1], "wanted": labels}), "port", "x: its samples are 1, the model takes 2")
    refused(lambda: trainer.train({"x": x, "wanted": labels[:9]}), "port", "has 9 samples, x has 16")
    refused(lambda: trainer.train({"x": x[:0], "wanted": labels[:0]}), "port", "has no samples")
    refused(lambda: trainer.train({}), "argument", "no arrays to train on")
    refused(lambda: trainer.train({"x": x, "wanted": labels}, loss="l1"), "argument", "loss 'l1'")
    refused(lambda: trainer.train({"x": x, "wanted": labels}, rate=0), "argument", "rate: is 0")
    refused(lambda: trainer.train({"x": x, "wanted": labels}, freeze="y*"), "graph", "y*")
    for wrong in (lambda: anemone.Trainer("net.onnx"), lambda: trainer.train([x, labels])):
        try:
            wrong()
        except TypeError:
            continue
        expect(False, "no TypeError")


def main():
    if anemone is None:
        skip("the module was not built")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        network(folder)
        learns(folder)
        is_gradient_descent(folder)
        goes_on(folder)
        full_disk(folder)
        side_by_side(folder)
        bad_input(folder)
    return verdict("trainings from Python")


if __name__ == "__main__":
    sys.exit(main())
