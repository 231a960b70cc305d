"""Draws few.npz to learn from and other.npz to judge by: discs, squares, crosses and rings of 16 x 16, with noise."""

import numpy


def shapes(count, seed):
    random = numpy.random.default_rng(seed)
    images, labels = numpy.zeros((count, 1, 16, 16), numpy.float32), numpy.arange(count) % 4
    places = numpy.mgrid[:16, :16]
    for image, label in zip(images, labels):
        size = random.uniform(3, 5)
        dy, dx = numpy.abs(places - random.uniform(6, 10, (2, 1, 1)))
        far = numpy.hypot(dy, dx)
        image[0] = [far < size, numpy.maximum(dy, dx) < 0.85 * size,
                    ((dy < 1.2) & (dx < size)) | ((dx < 1.2) & (dy < size)), (far < size) & (far > size - 2)][label]
    return numpy.clip(images + random.normal(0, 0.1, images.shape), 0, 1).astype(numpy.float32), labels


for name, count, seed in (("few", 160, 1), ("other", 80, 2)):
    images, labels = shapes(count, seed)
    numpy.savez(name + ".npz", image=images, label=labels)
