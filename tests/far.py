"""A device that is not there: tensors that say they are on a GPU, and never meet those of the CPU.

They are the CPU's own underneath, so everything is computed as it is there. But as on a GPU, an
operation on tensors of both places is an error, and NumPy is given none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from agents import device
from agents.crew import Crew

FAR = torch.device("cuda:0")
CARRIERS = ("copy_", "__setitem__", "__set__", "_has_compatible_shallow_copy_type")
"""What may be given tensors of both places."""


class Far(torch.Tensor):
    """A tensor on the device that is not there."""

    device = property(lambda self: FAR)  # type: ignore[assignment]

    def __deepcopy__(self, memo: Any) -> Far:
        copied = _near(self).as_subclass(Far).requires_grad_(self.requires_grad)
        copied.__dict__.update(self.__dict__)  # that it is a parameter
        return copied

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = getattr(func, "__name__", "")
        if name == "numpy":
            raise TypeError("a tensor of the far device has no numbers for NumPy")
        if name == "__reduce_ex__":
            return _near(args[0]).__reduce_ex__(*args[1:])
        if name not in CARRIERS:
            for tensor in tree_leaves((args, kwargs)):
                if isinstance(tensor, torch.Tensor) and not isinstance(tensor, Far):
                    assert not tensor.dim(), f"{name}: a tensor of the CPU among far ones"
        return super().__torch_function__(func, types, args, kwargs or {})


class _Placing(TorchFunctionMode):
    """Makes tensors where they are asked for, and carries them."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "cpu":
            return _near(args[0])
        place = kwargs.get("device")
        if name == "to" and len(args) > 1 and isinstance(args[1], str | torch.device):
            args, place = (args[0], *args[2:]), args[1]
        if place is None or name == "__set__":
            return func(*args, **kwargs)
        kwargs.pop("device", None)
        if name == "to":
            made = _near(args[0]).to("cpu", *args[1:], **kwargs)
        else:
            made = func(*args, **kwargs)
        return made.as_subclass(Far) if torch.device(place).type == "cuda" else made


def _near(tensor: torch.Tensor) -> torch.Tensor:
    """A copy on the CPU."""
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.detach().as_subclass(torch.Tensor).clone()


@contextmanager
def far_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Within it `--device cuda` is the far device; threads run one after the other."""
    with monkeypatch.context() as patch, _Placing():
        patch.setattr(device, "chosen", lambda name: FAR if name == "cuda" else torch.device(name))
        patch.setattr(Crew, "run", lambda crew, work: [work(k) for k in range(crew.threads)])
        torch.__future__.set_overwrite_module_params_on_conversion(True)
        try:
            yield
        finally:
            torch.__future__.set_overwrite_module_params_on_conversion(False)
