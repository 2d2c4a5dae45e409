"""The networks of train.py, and what is done with the probabilities that they give."""

from __future__ import annotations

import torch
from torch import Tensor

from touti_env.adapters.networks import LEAST, Perceptron
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.cards import CARDS, SEATS
from touti_env.observation import HIDDEN_TABLE, SIZE, STATE_SIZE, TABLE


def entropy_of(log_probs: Tensor) -> Tensor:
    """The entropy in nats of rows of `masked_log_softmax`, float32[...]."""
    # An illegal action adds 1 * 0; the exponential of its own huge number would be slow.
    legal = torch.where(log_probs > LEAST, log_probs, 0.0)
    return -(legal.exp() * legal).sum(-1)


def wrongness(log_probs: Tensor, right: Tensor) -> Tensor:
    """The surprise in nats at a right action, a mean over all rows; 0 where none is `right`.

    Args:
        log_probs: float32[N, A], of `masked_log_softmax`.
        right: bool[N, A], legal actions.
    """
    decisive = right.any(1)
    surprise = -log_probs[decisive].masked_fill(~right[decisive], LEAST).logsumexp(1)
    return surprise.sum() / len(right)


def draw(log_probs: Tensor, uniform: Tensor) -> Tensor:
    """An action for each row of `masked_log_softmax`, drawn by a number of its own.

    Args:
        log_probs: float32[N, A].
        uniform: float[N] in [0, 1): the least numbers draw the first actions.

    Returns:
        int64[N], never an illegal action.
    """
    legal = log_probs > LEAST
    edges = torch.where(legal, log_probs, 0.0).exp_().mul_(legal).cumsum(1)
    most = edges[:, -1]
    # Rounding must not reach the last edge, beyond which there is no action.
    point = torch.minimum(uniform.float() * most, torch.nextafter(most, torch.zeros_like(most)))
    return (edges <= point[:, None]).sum(1)


class Actor(Perceptron):
    """One policy for all four seats: observations [..., SIZE] to logits [..., A] before masking.

    Args:
        hidden: Widths of the inner layers.
        canonical: Whether observations and actions are in the seats' canonical suits.
    """

    def __init__(self, hidden: tuple[int, ...] = (256, 256, 256), canonical: bool = True) -> None:
        super().__init__(SIZE, tuple(hidden), NUM_ACTIONS, last_gain=0.01)
        self.hidden = tuple(hidden)
        self.canonical = canonical


class Critic(Perceptron):
    """What the episode is still worth to a seat, from all there is; used in training only.

    Args:
        hidden: Widths of the inner layers.
        sees_all: Whether it looks at the whole state; otherwise at the observation inside.
    """

    def __init__(self, hidden: tuple[int, ...] = (256, 256, 256), sees_all: bool = True) -> None:
        self.inputs = STATE_SIZE if sees_all else SIZE
        super().__init__(self.inputs, tuple(hidden), 1, last_gain=1.0)

    def forward(self, state: Tensor) -> Tensor:
        """Value [...] of states [..., STATE_SIZE] relative to the seat, in units of reward."""
        return super().forward(state[..., : self.inputs]).squeeze(-1)


class Belief(Perceptron):
    """Where the unseen cards are, from an observation: for each of the others, each card's logit.

    Args:
        hidden: Widths of the inner layers.
    """

    def __init__(self, hidden: tuple[int, ...] = (256, 256)) -> None:
        super().__init__(SIZE, tuple(hidden), (SEATS - 1) * CARDS, last_gain=0.01)
        self.hidden = tuple(hidden)

    def surprise(self, state: Tensor) -> Tensor:
        """Of states [N, STATE_SIZE]: the mean surprise in nats at who holds an unseen card.

        A seat that has shown to lack a card is left out: what draws deals does not consider it.
        """
        others = (-1, SEATS - 1, CARDS)
        logits = self(state[:, :SIZE]).view(others)
        lacks = state[:, TABLE["lacks"]].view(others) > 0
        held = state[:, HIDDEN_TABLE["hands"]].view(others) > 0
        surprise: Tensor = -logits.masked_fill(lacks, LEAST).log_softmax(1)[held].mean()
        return surprise
