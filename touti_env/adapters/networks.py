"""What is shared by all that needs PyTorch: masked probabilities, and the layers of a policy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

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
