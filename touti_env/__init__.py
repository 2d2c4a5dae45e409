"""Touti, the Moroccan partnership card game, as an environment for reinforcement learning.

Importing it registers `pettingzoo.make("aec", "touti/Touti-v0")` (also "parallel") and
`gymnasium.make("touti/Touti-v0")`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import gymnasium
import pettingzoo

from .core.rules import Rules
from .game import Game
from .notation import IllegalAction
from .view import resample, view

if TYPE_CHECKING:
    from . import touti_v0
    from .single import SingleEnv
    from .vector import VectorEnv

__version__ = "0.1.0"

__all__ = [
    "Game",
    "IllegalAction",
    "Rules",
    "SingleEnv",
    "VectorEnv",
    "resample",
    "touti_v0",
    "view",
]

# What is imported when it is first asked for.
_LATER = {"SingleEnv": "single", "VectorEnv": "vector"}


def __getattr__(name: str) -> object:
    if name == "touti_v0":
        return import_module(".touti_v0", __name__)
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _register() -> None:
    """Tell Gymnasium, and PettingZoo from 1.27 on, where the environments are."""
    name = "touti/Touti-v0"
    if name not in gymnasium.registry:
        gymnasium.register(name, entry_point="touti_env.single:SingleEnv")
    if hasattr(pettingzoo, "register") and name not in pettingzoo.aec_registry:
        pettingzoo.register("aec", name, entry_point="touti_env.touti_v0:env")
        pettingzoo.register("parallel", name, entry_point="touti_env.touti_v0:parallel_env")


_register()
