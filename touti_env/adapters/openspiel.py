"""Touti as code written for OpenSpiel expects it: a game, its states, OpenSpiel's bots as Agents.

A facade, not a registered game: `pyspiel.load_game` does not know it. The game is one deal. The
cards are dealt when a state is made, so there are no chance nodes; what a player does not know is
drawn anew by `resample_from_infostate`, uniformly among all that fits what it knows.

>>> state = ToutiGame(seed=7).new_initial_state()
>>> while not state.is_terminal():
...     state.apply_action(state.legal_actions()[0])
>>> sum(state.returns())
0.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from .. import notation, render
from ..core import batch, deal, engine
from ..core._jit import jit
from ..core.actions import LEVELS, MAX_BID, NUM_ACTIONS
from ..core.cards import CARDS, SEATS
from ..core.rules import Rules, as_rules, from_record
from ..core.state import Mask, Phase, State, States, copy_states, new_states
from ..episode import Terms, take
from ..explain import require_legal
from ..observation import SIZE, encode
from ..view import resample, view

# No deal is as long: each seat's turns in the auction and the signals before them, trump, and with
# each card a proposal to concede, its answer, and what may be asked about Ghnas.
MAX_LENGTH = 2 * (LEVELS + SEATS) + 1 + 5 * CARDS

TERMS = Terms()  # a deal, paid by the score
TERMINAL = int(pyspiel.PlayerId.TERMINAL)

Sampler = Callable[[], float]
"""Gives numbers in [0, 1)."""


class ToutiGame:
    """What OpenSpiel calls a game: the variant played, and where its deals come from.

    Args:
        rules: A variant's name or a `Rules`.
        seed: Which deals `new_initial_state` makes, one after the other; drawn if not given.
    """

    def __init__(self, rules: str | Rules = "standard", seed: int | None = None) -> None:
        self.rules = as_rules(rules)
        self._stream: States = new_states(1)
        self._stream["rules"] = self.rules.record()
        batch.seed_streams(self._stream, deal.check_seed(seed))

    def new_initial_state(self) -> ToutiState:
        """The next deal, at its first decision."""
        batch.new_matches(self._stream)
        return ToutiState(self, copy_states(self._stream))

    def state_of(self, state: State) -> ToutiState:
        """A state from a full state of the package, such as `Game.state` or what `resample` drew.

        Raises:
            ValueError: It is a view.
        """
        if state.viewer >= 0:
            raise ValueError(f"this is the view of seat {state.viewer}; a full state is valid")
        states = new_states(1)
        states[0] = state
        return ToutiState(self, states)

    def get_type(self) -> Any:
        """The `pyspiel.GameType`: sequential, imperfect information, zero-sum, paid at the end."""
        return pyspiel.GameType(
            short_name="touti",
            long_name="Touti",
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=SEATS,
            min_num_players=SEATS,
            provides_information_state_string=True,
            provides_information_state_tensor=True,
            provides_observation_string=True,
            provides_observation_tensor=True,
            default_loadable=False,
        )

    def num_players(self) -> int:
        """Four; players are seats, seats 0 and 2 a team."""
        return SEATS

    def num_distinct_actions(self) -> int:
        """The 72 of the action table."""
        return NUM_ACTIONS

    def policy_tensor_shape(self) -> list[int]:
        """One number for each action."""
        return [NUM_ACTIONS]

    def max_chance_outcomes(self) -> int:
        """There are no chance nodes."""
        return 0

    def max_game_length(self) -> int:
        """A bound on the number of decisions."""
        return MAX_LENGTH

    def min_utility(self) -> float:
        """What losing the highest contract pays."""
        return -MAX_BID / 100

    def max_utility(self) -> float:
        """What scoring the highest contract pays."""
        return MAX_BID / 100

    def utility_sum(self) -> float:
        """Zero: what a team wins the other loses."""
        return 0.0

    def information_state_tensor_shape(self) -> list[int]:
        """One number for each of `observation.LABELS`."""
        return [SIZE]

    def information_state_tensor_size(self) -> int:
        """How many numbers these are."""
        return SIZE

    observation_tensor_shape = information_state_tensor_shape
    observation_tensor_size = information_state_tensor_size

    def __str__(self) -> str:
        return f"touti(rules={self.rules.name})"


class ToutiState:
    """What OpenSpiel calls a state: a deal under way, one decision after the other.

    `ToutiGame` makes it. Copies by `clone`, `copy`, `deepcopy` or `pickle` are independent.
    """

    def __init__(self, game: ToutiGame, states: States) -> None:
        self._game = game
        self._states = states
        self._mask: Mask = np.zeros(NUM_ACTIONS, np.int8)
        self._returns = np.zeros(SEATS, np.float64)
        self._history: list[int] = []
        self._seat = int(states["seat"][0])
        batch.legal_at(states, 0, self._mask)

    def get_game(self) -> ToutiGame:
        """The game it belongs to."""
        return self._game

    @property
    def record(self) -> State:
        """The state as the package's own record, all cards open; not to be written to."""
        return self._states[0]

    def current_player(self) -> int:
        """The seat to act, or `pyspiel.PlayerId.TERMINAL`."""
        return TERMINAL if self._seat < 0 else self._seat

    def is_terminal(self) -> bool:
        """Whether the deal is over."""
        return self._seat < 0

    def is_chance_node(self) -> bool:
        """Never: the cards are dealt."""
        return False

    def is_simultaneous_node(self) -> bool:
        """Never: seats take turns."""
        return False

    def is_player_node(self) -> bool:
        """Whether a seat is to act."""
        return not self.is_terminal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """None: there are no chance nodes."""
        return []

    def num_players(self) -> int:
        """Four."""
        return SEATS

    def num_distinct_actions(self) -> int:
        """The 72 of the action table."""
        return NUM_ACTIONS

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal action ids, ascending; of a player who is not to act, none."""
        if player is not None and player != self.current_player():
            return []
        actions: list[int] = self._mask.nonzero()[0].tolist()
        return actions

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """72 numbers, 1 where the action is legal; of a player who is not to act, zeros."""
        if player is not None and player != self.current_player():
            return [0] * NUM_ACTIONS
        mask: list[int] = self._mask.tolist()
        return mask

    def apply_action(self, action: int) -> None:
        """Take an action.

        Raises:
            IllegalAction: The rules forbid it now; nothing has changed.
        """
        if not 0 <= action < NUM_ACTIONS or not self._mask[action]:
            require_legal(self._states[0], action)
        self._seat = _take(self._states, self._mask, action, TERMS, self._returns)
        self._history.append(int(action))

    def child(self, action: int) -> ToutiState:
        """The state after an action; this one stays as it is."""
        after = self.clone()
        after.apply_action(action)
        return after

    def clone(self) -> ToutiState:
        """An independent copy."""
        twin = object.__new__(ToutiState)
        twin._game = self._game
        twin._states = copy_states(self._states)
        twin._mask = self._mask.copy()
        twin._seat = self._seat
        twin._returns = self._returns.copy()
        twin._history = self._history.copy()
        return twin

    def __copy__(self) -> ToutiState:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, object]) -> ToutiState:
        return self.clone()

    def history(self) -> list[int]:
        """The actions taken since the state was made."""
        return self._history.copy()

    def move_number(self) -> int:
        """How many these are."""
        return len(self._history)

    def returns(self) -> list[float]:
        """By seat, what the deal has paid: ± contract / 100 when it is over, before that 0."""
        paid: list[float] = self._returns.tolist()
        return paid

    # A deal pays at its end alone, so the last action has paid all there is.
    rewards = returns

    def player_return(self, player: int) -> float:
        """What the deal has paid to a seat."""
        return float(self._returns[player])

    player_reward = player_return

    def information_state_tensor(self, player: int | None = None) -> list[float]:
        """The observation of a seat, by default the one to act."""
        vector = np.empty(SIZE, np.float32)
        encode(self._view(player), vector)
        numbers: list[float] = vector.tolist()
        return numbers

    def information_state_string(self, player: int | None = None) -> str:
        """All that a seat knows, one to one: the bytes of its view; not for reading."""
        return bytes(self._view(player).tobytes()).hex()

    observation_tensor = information_state_tensor

    def observation_string(self, player: int | None = None) -> str:
        """What a seat sees, in words."""
        return render.text(self._view(player))

    def resample_from_infostate(self, player: int, sampler: Sampler) -> ToutiState:
        """A state that this seat cannot tell from the present one, all of them alike.

        Args:
            player: The seat.
            sampler: The chance: gives numbers in [0, 1).
        """
        chance = np.random.default_rng(int(sampler() * 2**53))
        twin = self._game.state_of(resample(self._view(player), chance))
        twin._history = self._history.copy()
        return twin

    def action_to_string(self, player: int, action: int | None = None) -> str:
        """The word for an action now; called with the action alone, too."""
        number = player if action is None else action
        return notation.name(number, Phase(self._states["phase"][0]))

    def string_to_action(self, player: int | str, word: str | None = None) -> int:
        """The action that a word means now; called with the word alone, too."""
        text = player if word is None else word
        return notation.parse(str(text), Phase(self._states["phase"][0]))

    def _view(self, player: int | None) -> State:
        return view(self._states[0], self.current_player() if player is None else player)

    def __str__(self) -> str:
        return render.text(self._states[0])


@jit
def _take(states: States, mask: Mask, action: int, terms: Terms, returns: Any) -> int:
    """Take a legal action, add what it pays to `returns`, write the next mask; who is to act."""
    take(states[0], action, terms, returns)
    engine.legal(states[0], mask)
    seat: int = states[0].seat
    return seat


class BotAgent:
    """A bot of OpenSpiel at the package's tables.

    For each decision a new bot is made and shown a state that fits what the seat knows. So it holds
    for bots that search, not for those that remember.

    Args:
        make_bot: Makes the bot, for a game and with a source of chance.
        name: What tables call it.
    """

    def __init__(
        self, make_bot: Callable[[ToutiGame, np.random.RandomState], Any], name: str
    ) -> None:
        self.make_bot = make_bot
        self.name = name

    def act(self, view: State, rng: np.random.Generator | None = None) -> int:
        """The bot's action."""
        rng = np.random.default_rng() if rng is None else rng
        game = ToutiGame(from_record(view.rules), seed=0)
        bot = self.make_bot(game, np.random.RandomState(rng.integers(2**32)))
        if hasattr(bot, "set_resampler"):
            # By itself, OpenSpiel's ISMCTS draws hands with a chance that no seed decides.
            bot.set_resampler(lambda state, seat: state.resample_from_infostate(seat, rng.random))
        return int(bot.step(game.state_of(resample(view, rng))))
