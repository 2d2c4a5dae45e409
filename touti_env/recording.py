"""Agents at one table, and a record of all that they do.

>>> from touti_env import agent, recording
>>> heuristic = agent.load("heuristic")
>>> [record] = recording.deals([heuristic] * 4, number=1, seed=7)
>>> record.end().scored >= 0
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from .agent import Agent, act, blaming
from .core.actions import NUM_ACTIONS
from .core.cards import SEATS
from .core.rules import Rules
from .game import Game
from .records import DealRecord, Probs
from .view import view

DIGITS = 6  # of a probability in a record


def deals(
    agents: Sequence[Agent],
    number: int,
    seed: int = 0,
    rules: str | Rules = "standard",
    probs: bool = False,
) -> Iterator[DealRecord]:
    """Play deals at 0:0; number i is the first deal of `Game(rules, seed + i)`.

    Args:
        agents: Who sits at seats 0 to 3.
        number: How many deals.
        seed: Which deals; the same agents, seed and rules give the same records.
        rules: A variant's name or a `Rules`.
        probs: Whether to keep the probabilities of the agents that have `probs(view)`.

    Raises:
        IllegalAction: An agent has chosen an action that the rules forbid.
        ValueError: An agent gives an illegal action a probability, or there are not four agents.
    """
    for game, chance in _tables(number, seed, rules):
        yield play(game, agents, chance, probs)


def matches(
    agents: Sequence[Agent],
    number: int,
    seed: int = 0,
    rules: str | Rules = "standard",
    probs: bool = False,
) -> Iterator[DealRecord]:
    """Play whole matches, number i that of `Game(rules, seed + i)`; arguments as for `deals`."""
    for game, chance in _tables(number, seed, rules):
        yield play(game, agents, chance, probs)
        while not game.match_over:
            game.next_deal()
            yield play(game, agents, chance, probs)


def _tables(
    number: int, seed: int, rules: str | Rules
) -> Iterator[tuple[Game, np.random.Generator]]:
    """A game for each table, and the chance of those who play there."""
    for index in range(number):
        yield Game(rules, seed + index), np.random.default_rng((seed, index))


def play(
    game: Game, agents: Sequence[Agent], chance: np.random.Generator, probs: bool = False
) -> DealRecord:
    """Play the deal of `game` to its end; where only one action is legal, nobody is asked."""
    if len(agents) != SEATS:
        raise ValueError(f"{SEATS} agents are needed, not {len(agents)}")
    chosen_by: list[Probs | None] = []
    while not game.deal_over:
        seat, legal = game.seat, game.legal_actions()
        agent, seen = agents[seat], view(game.state, seat)
        if probs:
            chosen_by.append(probabilities(agent, seen, legal))
        with blaming(agent):
            game.push(legal[0] if len(legal) == 1 else act(agent, seen, chance))
    names = (agents[0].name, agents[1].name, agents[2].name, agents[3].name)
    record = replace(game.record(), agents=names)
    return replace(record, probs=tuple(chosen_by)) if probs else record


def probabilities(agent: Agent, seen: np.void, legal: Sequence[int]) -> Probs | None:
    """The agent's probability of each legal action id, 0 left out; None if it has no `probs`."""
    if not hasattr(agent, "probs"):
        return None
    if len(legal) == 1:
        return {legal[0]: 1.0}
    table = np.asarray(agent.probs(seen), np.float64)
    if table.shape != (NUM_ACTIONS,):
        raise ValueError(
            f"agent {agent.name!r}: probs has shape {table.shape}; ({NUM_ACTIONS},) is needed"
        )
    positive = [int(action) for action in np.flatnonzero(table)]
    if stray := sorted(set(positive) - set(legal)):
        raise ValueError(f"agent {agent.name!r}: probs of illegal actions {stray} are not 0")
    rounded = {action: round(float(table[action]), DIGITS) for action in positive}
    return {action: chance for action, chance in rounded.items() if chance > 0}
