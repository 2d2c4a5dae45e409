"""Touti for TorchRL: many games in lockstep, all four seats played; each seat learns its own turns.

`ToutiEnv` shows at each step the seat to act of every game, and pays all four seats by name, since
what a deal pays is due to each seat's last decision, three of them in earlier steps. `Decisions`
turns what a collector gives into the decisions of each seat, one after the other, with all that was
paid to the seat until its next one: what GAE and the losses of TorchRL expect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from tensordict import TensorDict, TensorDictBase
from torch import Tensor
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from ..core.actions import NUM_ACTIONS
from ..core.cards import SEATS
from ..observation import SIZE, STATE_SIZE
from ..vector import Batch, VectorEnv


class ToutiEnv(EnvBase):
    """A `VectorEnv` as TorchRL's batch of environments.

    Entries: `observation` float32[N, F], `action_mask` bool[N, 72] and `seat` int64[N, 1] of the
    seat to act; `action` int64[N]; `reward` float32[N, 4], by seat; with `state` also `state`
    float32[N, S] for a critic. A game whose episode ends begins the next one in the same step.

    Args:
        num_envs: How many games.
        state: Whether to show the critic's state.
        options: The others of `VectorEnv`, `max_deals` excepted.

    Raises:
        ValueError: An option is out of its range.
    """

    def __init__(self, num_envs: int, state: bool = False, **options: Any) -> None:
        if options.get("max_deals") is not None:
            raise ValueError(f"max_deals is {options['max_deals']!r}; here None alone is valid")
        self.games = VectorEnv(num_envs, state=state, **options)
        super().__init__(batch_size=[num_envs])
        number = self.batch_size
        seen = {
            "observation": Bounded(0.0, 1.0, (*number, SIZE), dtype=torch.float32),
            "action_mask": Binary(shape=(*number, NUM_ACTIONS), dtype=torch.bool),
            "seat": Categorical(SEATS, (*number, 1)),
        }
        if state:
            seen["state"] = Bounded(0.0, 1.0, (*number, STATE_SIZE), dtype=torch.float32)
        self.observation_spec = Composite(seen, shape=number)
        self.action_spec = Categorical(NUM_ACTIONS, number)
        self.reward_spec = Unbounded((*number, SEATS))
        flags = {key: Binary(shape=(*number, 1), dtype=torch.bool) for key in _FLAGS}
        self.done_spec = Composite(flags, shape=number)
        self._seed_next: int | None = None
        self._begun = torch.ones(number, dtype=torch.bool)

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is None:
            self._begun[:] = True
            batch, self._seed_next = self.games.reset(self._seed_next), None
        elif bool((chosen.view(-1) & ~self._begun).any()):
            raise ValueError("reset: a game is under way; its end, or all games at once, is valid")
        else:
            batch = self.games.batch
        return self._seen(batch).update(self.done_spec.zero())

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        batch = self.games.step(tensordict["action"].numpy())
        ended = torch.from_numpy(batch.terminated.copy()).unsqueeze(-1)
        self._begun = ended.squeeze(-1)
        result = self._seen(batch)
        result.update({"reward": torch.from_numpy(batch.reward.copy())})
        return result.update({"done": ended, "terminated": ended.clone()})

    def _seen(self, batch: Batch) -> TensorDict:
        """What the seats to act are shown: copies, since `batch` is written anew."""
        mask = torch.from_numpy(batch.action_mask).bool()
        self.action_spec.update_mask(mask)  # for `rand_action`
        seen = {
            "observation": torch.from_numpy(batch.observation.copy()),
            "action_mask": mask,
            "seat": torch.from_numpy(batch.seat.copy()).unsqueeze(-1),
        }
        if batch.state is not None:
            seen["state"] = torch.from_numpy(batch.state.copy())
        return TensorDict(seen, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        self._seed_next = seed


_FLAGS = ("done", "terminated")
_SEEN = ("observation", "action_mask", "seat", "state")


class Decisions:
    """Makes of what a collector gives the decisions of each seat; whole episodes alone.

    Called with data [N, T] of `ToutiEnv`, it returns [M]: the decisions of seat 0 in their order,
    game after game, then those of seat 1, and so on. `("next", "reward")`, [M, 1], is all that was
    paid to the seat from the decision to its next; what was paid in an episode before its first is
    in the first. `("next", "done")` ends a seat's episode at its last decision. All other entries
    of the root are kept as they are.

    The beginnings of episodes that have not ended are kept, and come with the call in which they
    end. So one of these belongs to one stream of data, whose games are never reset half way.
    """

    def __init__(self) -> None:
        self._kept: list[TensorDictBase] = []

    def __call__(self, data: TensorDictBase) -> TensorDictBase:
        """The decisions of the episodes that end in `data`; [0] if none does."""
        games = list(data.exclude(*(("next", key) for key in _SEEN)).unbind(0))
        if self._kept:
            games = [torch.cat(pair) for pair in zip(self._kept, games, strict=True)]
        ends = [_length_of_whole(game) for game in games]
        self._kept = [game[end:].clone() for game, end in zip(games, ends, strict=True)]
        whole = torch.cat([game[:end] for game, end in zip(games, ends, strict=True)])
        return torch.cat(list(_by_seat(whole)))


def _length_of_whole(game: TensorDictBase) -> int:
    """How many steps of a game, [T], belong to episodes that have ended."""
    ended = game["next", "done"].view(-1).nonzero()
    return int(ended[-1]) + 1 if len(ended) else 0


def _by_seat(steps: TensorDictBase) -> Iterator[TensorDictBase]:
    """The decisions of each seat in whole episodes, [T], that follow one another."""
    done = steps["next", "done"].view(-1)
    episode = done.cumsum(0) - done.long()
    for seat in range(SEATS):
        own = steps["seat"].view(-1) == seat
        rows = own.nonzero().view(-1)
        decisions = steps[rows].exclude("next", *_FLAGS)
        following = decisions.select(*_SEEN, strict=False).roll(-1, 0)
        ends = episode[rows] != episode[rows].roll(-1)
        ends[-1:] = True
        following["reward"] = _paid(steps["next", "reward"][:, seat], own, episode).unsqueeze(-1)
        for key in _FLAGS:
            following[key] = ends.unsqueeze(-1).clone()
        yield decisions.set("next", following)


def _paid(reward: Tensor, own: Tensor, episode: Tensor) -> Tensor:
    """What is due to each decision of a seat.

    Args:
        reward: float32[T], paid to the seat at each step.
        own: bool[T], whether the seat decided.
        episode: int64[T], which episode it was.
    """
    rows = own.nonzero().view(-1)
    paid = reward.new_zeros(len(rows))
    if len(rows):
        latest = own.cumsum(0) - 1
        after = episode[rows[latest.clamp(min=0)]] != episode
        due = torch.where(after | (latest < 0), latest + 1, latest)
        found = due < len(rows)
        found &= episode[rows[due.clamp(max=len(rows) - 1)]] == episode
        paid.index_add_(0, due[found], reward[found])
    return paid
