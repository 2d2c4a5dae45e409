"""Touti, the Moroccan partnership card game, as an environment for reinforcement learning."""

from .core.rules import Rules
from .game import Game
from .notation import IllegalAction
from .view import resample, view

__version__ = "0.1.0"

__all__ = ["Game", "IllegalAction", "Rules", "resample", "view"]
