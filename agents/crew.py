"""Several threads that learn as one: each has its own games and its own part of every minibatch.

The replicas of the networks share their weights' memory and have gradients of their own, which are
summed, in a fixed order, before the one optimiser steps. So the result does not depend on how the
threads are scheduled, and every matrix product stays on one core: nothing waits for stragglers
inside it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch
from torch import nn

T = TypeVar("T")
Network = TypeVar("Network", bound=nn.Module)


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


def replicas(network: Network, number: int) -> list[Network]:
    """`number` copies of `network` that share its weights' memory, with gradients of their own."""
    twins = []
    for _ in range(number):
        twin = copy.deepcopy(network)
        for mine, shared in zip(twin.parameters(), network.parameters(), strict=True):
            mine.data = shared.data
        twins.append(twin)
    return twins


def sum_gradients(network: nn.Module, twins: Sequence[nn.Module]) -> None:
    """Move the sum of the replicas' gradients to `network`; theirs are cleared."""
    groups = [list(twin.parameters()) for twin in twins]
    for parameter, *shares in zip(network.parameters(), *groups, strict=True):
        total = shares[0].grad
        for share in shares[1:]:
            assert total is not None and share.grad is not None
            total += share.grad
        parameter.grad = total
        for share in shares:
            share.grad = None
