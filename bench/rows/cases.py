"""What is computed of rows: the inputs, the result in float64, and how PyTorch computes it."""
import math

import torch

ELEMENTS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
SHAPES = [(65536, 1024), (16384, 4096), (8192, 8192), (4096, 16384), (2048, 32768)]
# Few rows, short ones, rows that no vector divides, one column.
CHECKED = [(1, 8), (3, 1), (1000, 3), (37, 259), (5, 1023), (129, 1024), (1, 1000), (66, 4099), (33, 8192), (7, 20000),
           (9, 32768), (2000, 256)]


def softmax(x):
    return torch.softmax(x, -1)


def row_sums(x):
    return torch.sum(x, -1, dtype=torch.float32)


def total(x):
    return torch.sum(x, dtype=torch.float32)


class Form:
    """`bytes_of` counts what must move; `outputs` are elements of the result."""

    def __init__(self, run, has_rows, is_as_large):
        self.run, self.has_rows, self.is_as_large = run, has_rows, is_as_large

    def output(self, x, guard=0):
        """Poisoned, with as many elements behind it as `guard`."""
        size = x.numel() if self.is_as_large else x.shape[0] if self.has_rows else 1
        kind = x.dtype if self.is_as_large else torch.float32
        whole = torch.full((size + guard,), math.nan, device="cuda", dtype=kind)
        return whole[:size].view(x.shape if self.is_as_large else (size,)), whole[size:]

    def bytes_moved(self, x):
        return x.numel() * x.element_size() * (2 if self.is_as_large else 1)

    def wanted(self, x):
        """In float64, and what an error is measured against."""
        if self.is_as_large:
            result = torch.softmax(x.double(), -1)
            return result, result
        dims = (-1,) if self.has_rows else (0, 1)
        return x.double().sum(dims).view(-1), x.double().abs().sum(dims).view(-1)

    def error(self, x, result):
        want, scale = self.wanted(x)
        difference = (result.double().view(want.shape) - want).norm()
        return (difference / scale.norm()).item()


FORMS = {"softmax": Form(softmax, True, True), "row_sums": Form(row_sums, True, False), "sum": Form(total, False, False)}


def inputs(rows, cols, element, seed):
    numbers = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(rows, cols, device="cuda", generator=numbers).to(ELEMENTS[element])


def extremes(rows, cols, element):
    """Large numbers, infinities, a row of nothing but -inf and one with a NaN: where no overflow may show, and where NaN must."""
    x = inputs(rows, cols, element, 7) * 3e4
    x[::3, ::2] = -math.inf
    x[rows // 2] = -math.inf
    x[rows - 1, cols // 2] = math.nan
    return x
