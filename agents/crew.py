"""Several threads that learn as one: each has its own games and its own part of every minibatch.

The threads' copies of the networks share their weights' memory and have gradients of their own,
which are summed, in a fixed order, before the one optimiser steps. So the result does not depend on
how the threads are scheduled, and every matrix product stays on one core: nothing waits for
stragglers inside it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor, nn

T = TypeVar("T")


class Crew:
    """A fixed number of threads; `run` gives each its piece of work and waits for all.

    Args:
        threads: How many.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        torch.set_num_threads(1)
        self._pool = ThreadPoolExecutor(threads, initializer=partial(torch.set_num_threads, 1))

    def run(self, work: Callable[[int], T]) -> list[T]:
        """`work(k)` of every thread k at once; the results in the order of k."""
        if self.threads == 1:
            return [work(0)]
        return list(self._pool.map(work, range(self.threads)))

    def close(self) -> None:
        """Let go of the threads."""
        self._pool.shutdown()


class Weights:
    """All parameters of some networks as one vector, with copies of the networks for each thread.

    The copies' parameters are windows on the same vector, their gradients on a vector of each
    thread's own: a sum, a norm or a step of the optimiser is then one operation, not one for each
    layer.

    Attributes:
        vector: The weights, float32[P]; the optimiser's one parameter.
        copies: For each thread, a copy of every network.
    """

    def __init__(self, networks: Sequence[nn.Module], threads: int) -> None:
        self.sizes = [sum(p.numel() for p in network.parameters()) for network in networks]
        flat = [p.detach().flatten() for network in networks for p in network.parameters()]
        self.vector = nn.Parameter(torch.cat(flat))
        _lay_out(networks, self.vector.data, None)
        self.copies, self.gradients = [], []
        for _ in range(threads):
            copies = [copy.deepcopy(network) for network in networks]
            gradient = torch.zeros_like(self.vector)
            _lay_out(copies, self.vector.data, gradient)
            self.copies.append(copies)
            self.gradients.append(gradient)

    def gather(self, max_norm: float) -> None:
        """Give `vector` the sum of the threads' gradients, each network's clipped to `max_norm`."""
        total, *others = self.gradients
        for other in others:
            total += other
        for share in torch.split(total, self.sizes):
            norm = share.norm().item()
            if norm > max_norm:
                share *= max_norm / norm
        self.vector.grad = total

    def clear(self) -> None:
        """Make the threads' gradients zero."""
        for gradient in self.gradients:
            gradient.zero_()


def _lay_out(networks: Sequence[nn.Module], weights: Tensor, gradient: Tensor | None) -> None:
    """Make the parameters of networks, one after the other, windows on vectors."""
    start = 0
    for parameter in (p for network in networks for p in network.parameters()):
        window = slice(start, start + parameter.numel())
        parameter.data = weights[window].view_as(parameter)
        if gradient is not None:
            parameter.grad = gradient[window].view_as(parameter)
        start = window.stop
