"""Several threads that learn as one: each has its own games and its own part of every minibatch.

The threads' copies of the networks share their weights' memory and have gradients of their own. At
a step every thread takes a slice of the weights: it sums the gradients there, in a fixed order, and
moves the slice. So the result does not depend on how the threads are scheduled, every matrix
product stays on one core, and nothing is left that one thread does while the others wait.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError
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
        self._seats = iter(range(threads))
        self._pool = ThreadPoolExecutor(threads, initializer=self._settle)
        self._barrier = Barrier(threads)

    def run(self, work: Callable[[int], T]) -> list[T]:
        """`work(k)` of every thread k at once; the results in the order of k."""
        if self.threads == 1:
            return [work(0)]
        futures = [self._pool.submit(self._do, work, k) for k in range(self.threads)]
        errors = [error for future in futures if (error := future.exception()) is not None]
        for error in errors:
            if not isinstance(error, BrokenBarrierError):  # what the others say of it
                raise error
        return [future.result() for future in futures]

    def meet(self) -> None:
        """Inside a piece of work: wait until every thread is here."""
        if self.threads > 1:
            self._barrier.wait()

    def _do(self, work: Callable[[int], T], thread: int) -> T:
        try:
            return work(thread)
        except BaseException:
            self._barrier.abort()  # or the others would wait for this one for ever
            raise

    def _settle(self) -> None:
        """In a new thread: work alone, on cores that no other thread of the crew is given.

        Linux takes threads that often wait for one another for a pair, and may leave both on one
        core while the next one idles. Every core still belongs to some thread, so that several runs
        on a large machine spread out.
        """
        torch.set_num_threads(1)
        if hasattr(os, "sched_setaffinity"):
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, cores[next(self._seats) % len(cores) :: self.threads])

    def close(self) -> None:
        """Let go of the threads."""
        self._pool.shutdown()


class Weights:
    """All parameters of some networks as one vector, with copies of the networks for each thread.

    The copies' parameters are windows on the same vector, their gradients on a vector of each
    thread's own.

    Attributes:
        vector: The weights, float32[P].
        copies: For each thread, a copy of every network.
    """

    def __init__(self, networks: Sequence[nn.Module], crew: Crew) -> None:
        self.crew = crew
        flat = [p.detach().flatten() for network in networks for p in network.parameters()]
        self.vector = torch.cat(flat)
        _lay_out(networks, self.vector, None)
        self.copies, self.gradients = [], []
        for _ in range(crew.threads):
            copies = [copy.deepcopy(network) for network in networks]
            gradient = torch.zeros_like(self.vector)
            _lay_out(copies, self.vector, gradient)
            self.copies.append(copies)
            self.gradients.append(gradient)
        # Where the networks end in the vector, and where the threads' slices do.
        sizes = torch.tensor([sum(p.numel() for p in network.parameters()) for network in networks])
        self._networks = _windows(sizes.cumsum(0).tolist())
        length = len(self.vector)
        self._slices = _windows([length * (k + 1) // crew.threads for k in range(crew.threads)])
        shape = (crew.threads, len(networks))
        self._squares = torch.zeros(shape, dtype=torch.float64, device=self.vector.device)
        slices = [nn.Parameter(self.vector[window]) for window in self._slices]
        for part, window in zip(slices, self._slices, strict=True):
            part.grad = self.gradients[0][window]
        self._optimizers = [torch.optim.Adam([part], eps=1e-5, fused=True) for part in slices]

    def step(self, thread: int, learning_rate: float, max_norm: float) -> None:
        """Inside a piece of work of every thread: one step of Adam along all threads' gradients.

        Each network's gradient is clipped to `max_norm`. Afterwards the gradients are zero.
        """
        self.crew.meet()
        mine, (total, *others) = self._slices[thread], self.gradients
        for other in others:
            total[mine] += other[mine]
            other[mine].zero_()
        for k, network in enumerate(self._networks):
            both = slice(max(mine.start, network.start), min(mine.stop, network.stop))
            self._squares[thread, k] = total[both].square().sum() if both.start < both.stop else 0
        self.crew.meet()
        norms = self._squares.sum(0).sqrt().tolist()
        for network, norm in zip(self._networks, norms, strict=True):
            both = slice(max(mine.start, network.start), min(mine.stop, network.stop))
            if norm > max_norm and both.start < both.stop:
                total[both] *= max_norm / norm
        optimizer = self._optimizers[thread]
        optimizer.param_groups[0]["lr"] = learning_rate
        optimizer.step()
        total[mine].zero_()
        self.crew.meet()

    def state_dict(self) -> dict[str, Tensor]:
        """What the optimisers remember, for all weights together; nothing before the first step."""
        states = [optimizer.state_dict()["state"].get(0, {}) for optimizer in self._optimizers]
        return {
            name: torch.cat([state[name] for state in states]) if value.dim() else value
            for name, value in states[0].items()
        }

    def load_state_dict(self, content: dict[str, Tensor]) -> None:
        """Go back to what `state_dict` said; the weights themselves are not in it."""
        for optimizer, window in zip(self._optimizers, self._slices, strict=True):
            part = {
                name: (value[window] if value.dim() else value).clone()
                for name, value in content.items()
            }
            saved = optimizer.state_dict()
            optimizer.load_state_dict({**saved, "state": {0: part} if part else {}})


def _windows(ends: list[int]) -> list[slice]:
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def _lay_out(networks: Sequence[nn.Module], weights: Tensor, gradient: Tensor | None) -> None:
    """Make the parameters of networks, one after the other, windows on vectors."""
    start = 0
    for parameter in (p for network in networks for p in network.parameters()):
        window = slice(start, start + parameter.numel())
        parameter.data = weights[window].view_as(parameter)
        if gradient is not None:
            parameter.grad = gradient[window].view_as(parameter)
        start = window.stop
