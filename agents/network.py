"""The networks, and the one function through which every masked probability goes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from touti_env.core.actions import NUM_ACTIONS
from touti_env.observation import SIZE, STATE_SIZE

LEAST = torch.finfo(torch.float32).min


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the legal actions, float32[..., A]; illegal ones are at the least float.

    Acting, the loss and every evaluation use this and nothing else. The least finite float, not
    minus infinity, stands for "never": its exponential is exactly 0, and p * log p and its gradient
    stay finite.

    Args:
        logits: [..., A], any float type; computed in float32.
        mask: [..., A], bool or numbers, non-zero where legal.

    Raises:
        ValueError: The shapes differ, or a row has no legal action.
    """
    if mask.shape != logits.shape:
        raise ValueError(f"mask of shape {tuple(mask.shape)}; {tuple(logits.shape)} is valid")
    legal = mask != 0
    if not bool(legal.any(-1).all()):
        raise ValueError("mask: a row has no legal action")
    masked = torch.where(legal, logits.float(), LEAST)
    return torch.where(legal, masked.log_softmax(-1), LEAST)


def entropy_of(log_probs: Tensor) -> Tensor:
    """The entropy in nats of rows of `masked_log_softmax`, float32[...]."""
    # An illegal action adds 1 * 0; the exponential of its own huge number would be slow.
    legal = torch.where(log_probs > LEAST, log_probs, 0.0)
    return -(legal.exp() * legal).sum(-1)


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


class Perceptron(nn.Module):
    """Linear layers with ReLU between them, orthogonal, the last one scaled by `last_gain`.

    Inputs in bfloat16 are worked on in it, all but the last layer; the weights and what comes out
    are float32 in any case.
    """

    def __init__(
        self, inputs: int, hidden: tuple[int, ...], outputs: int, last_gain: float
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for width in hidden:
            layers += [_linear(inputs, width, 2**0.5), nn.ReLU(inplace=True)]
            inputs = width
        self.body = nn.Sequential(*layers)
        self.head = _linear(inputs, outputs, last_gain)

    @property
    def device(self) -> torch.device:
        """Where it is, and what it is given has to be."""
        return self.head.weight.device

    def forward(self, x: Tensor) -> Tensor:
        """Floats [..., outputs] of floats [..., inputs]."""
        small = x.dtype == torch.bfloat16
        with torch.autocast(x.device.type, torch.bfloat16, enabled=small, cache_enabled=False):
            x = self.body(x)
        out: Tensor = self.head(x.float())
        return out


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


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
