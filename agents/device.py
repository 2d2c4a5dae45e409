"""Where the networks and the experience are: the CPU, or a GPU; the games stay on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import torch


class DeviceError(ValueError):
    """A device that is not to be had."""


def chosen(name: str) -> torch.device:
    """The device that `cpu`, `cuda`, `cuda:N` or `auto` stands for here.

    Raises:
        DeviceError: There is no such device.
    """
    gpus = [f"cuda:{k}" for k in range(torch.cuda.device_count())]
    first = gpus[:1] or ["cpu"]
    valid = ["cpu", "auto", *(["cuda", *gpus] if gpus else [])]
    if name not in valid:
        raise DeviceError(f"device is {name!r}; valid here are {', '.join(valid)}")
    return torch.device({"auto": first[0], "cuda": first[0]}.get(name, name))


def kind(precision: str, device: torch.device) -> torch.dtype:
    """What the networks' inner layers work in, for `float32`, `bfloat16` or `auto`."""
    small = precision == "bfloat16" or (precision == "auto" and _has_units(device))
    return torch.bfloat16 if small else torch.float32


def _has_units(device: torch.device) -> bool:
    """Whether it multiplies matrices of bfloat16 itself; elsewhere float32 is faster.

    Two kinds of CPU do: with a matrix unit (AMX), and with AVX-512 instructions for pairs of
    bfloat16.
    """
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    asks: list[Callable[[], bool]] = [
        getattr(torch.cpu, name, lambda: False)
        for name in ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    ]
    return any(ask() for ask in asks)
