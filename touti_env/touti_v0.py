"""The versioned module that PettingZoo's users import: `from touti_env import touti_v0`.

Its number grows whenever the same agents could score otherwise.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from .aec import env, raw_env

__all__ = ["env", "parallel_env", "raw_env"]


def parallel_env(**options: Any) -> Any:
    """The same environment by PettingZoo's parallel interface: one seat acts a step.

    Actions of the others are ignored: their masks are all zero.

    Args:
        options: Those of `env`.
    """
    return turn_based_aec_to_parallel(env(**options))
