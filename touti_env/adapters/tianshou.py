"""Touti for Tianshou: one seat learns; the mask is where Tianshou's policies look for it.

Tianshou reads `obs.obs` and `obs.mask`. Its Q-learning and random policies obey the mask; its
actors do not look at it, so PPO and its like are given `MaskedActor` and `Critic`.

The environment has one seat because Tianshou's multi-agent policies keep, of what a step pays, the
part of the seat that acted: what a deal pays the three others would be lost.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

from ..core.actions import NUM_ACTIONS
from ..single import Observation, SingleEnv


class ObsMask(gymnasium.ObservationWrapper[Observation, int, Observation]):
    """Observations as `obs`, float32[F], and `mask`, bool[72]."""

    def __init__(self, env: gymnasium.Env[Observation, int]) -> None:
        super().__init__(env)
        # Tianshou inverts the mask, which int8 would answer with -1 and -2.
        mask: Any = spaces.Box(0, 1, (NUM_ACTIONS,), np.bool_)
        seen: Any = env.observation_space
        self.observation_space: Any = spaces.Dict({"obs": seen["observation"], "mask": mask})

    def observation(self, observation: Observation) -> Observation:
        """The same under Tianshou's names."""
        mask = observation["action_mask"].astype(np.bool_)
        return {"obs": observation["observation"], "mask": mask}


def make_env(**options: Any) -> ObsMask:
    """A `SingleEnv` with these options, for Tianshou's vector environments and collectors."""
    return ObsMask(SingleEnv(**options))


class MaskedActor(DiscreteActor):
    """Tianshou's actor, whose logits of illegal actions are at the least float."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, softmax_output=False)

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Logits [B, 72], masked, and the network's state."""
        logits, state = super().forward(obs.obs, state, info)
        legal = torch.as_tensor(obs.mask, device=logits.device)
        return logits.masked_fill(~legal, torch.finfo(logits.dtype).min), state


class Critic(DiscreteCritic):
    """Tianshou's critic, which sees the observation without the mask."""

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> torch.Tensor:
        """Values [B, 1]."""
        values: torch.Tensor = super().forward(obs.obs, state, info)
        return values
