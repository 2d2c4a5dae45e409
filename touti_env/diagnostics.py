"""What an agent's play looks like, as numbers for a log, and what it would lose if it kept silent.

>>> from touti_env import agent, arena
>>> from touti_env.diagnostics import muting, summary
>>> heuristic = agent.load("heuristic")
>>> match = arena.duplicate(heuristic, agent.load("sane"), deals=50)
>>> numbers = summary(match.agents[0])
>>> muted = muting(heuristic, deals=50)
>>> costs, error = muted.mean, muted.standard_error
"""

from __future__ import annotations

import numpy as np

from .agent import Actions, Agent, BatchAgent, Words, act_many
from .arena import duplicate
from .core.actions import AS, COMPTE, PASS, SKIP
from .core.rules import Rules
from .core.state import AUCTION, SIGNAL, States
from .results import CONTRACTS, LEAVINGS, SIGNALS, Match, Tally


class Muted(BatchAgent):
    """An agent that says nothing: silent where it would signal, and a pass where it would announce.

    That is all that it changes: an announcement is a pass in every other respect (§3.3), and a
    signal changes nothing but what the table has heard (§4.5). It hears as before.

    Args:
        agent: Who decides everything else.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.name = f"{agent.name}, muted"

    def act_many(self, views: States, words: Words) -> Actions:
        """The agent's actions, int64[N], those that tell something replaced."""
        actions = act_many(self.agent, views, words).copy()
        phase = views["phase"]
        actions[phase == SIGNAL] = SKIP
        actions[(phase == AUCTION) & np.isin(actions, (AS, COMPTE))] = PASS
        return actions


def muting(
    agent: Agent,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "standard",
    batch: int = 512,
) -> Match:
    """What muting one team costs it: a match of an agent against itself `Muted`.

    Its `mean` is by how many points a deal the team that may speak leads. Were both the same, every
    deal would be worth exactly 0. The arguments are those of `arena.duplicate`.
    """
    return duplicate(agent, Muted(agent), deals, seed, rules, batch)


def summary(tally: Tally) -> dict[str, float]:
    """What an agent did in a match, as shares from 0 to 1 by flat names.

    | name | share |
    |---|---|
    | `made` | made, of the contracts that it declared |
    | `contracts/70` ... `contracts/230` | of this level, of the contracts that it declared |
    | `made/70` ... `made/230` | made, of those of this level; only where there were any |
    | `left/pass`, `left/AS`, `left/COMPTE` | with this word, of its leavings of the auction |
    | `signals/AS` ... `signals/silent` | this word, of the signals that were due |

    A share of nothing is left out.
    """
    numbers = _shares("made", [("", sum(tally.made))], sum(tally.declared))
    levels = list(zip(CONTRACTS, tally.declared, tally.made, strict=True))
    declared = [(f"/{contract}", number) for contract, number, _ in levels]
    numbers |= _shares("contracts", declared, sum(tally.declared))
    for contract, number, made in levels:
        numbers |= _shares("made", [(f"/{contract}", made)], number)
    for name, words, counts in (
        ("left", LEAVINGS, tally.left),
        ("signals", SIGNALS, tally.signals),
    ):
        rows = [(f"/{word}", count) for word, count in zip(words, counts, strict=True)]
        numbers |= _shares(name, rows, sum(counts))
    return numbers


def _shares(name: str, rows: list[tuple[str, int]], whole: int) -> dict[str, float]:
    return {f"{name}{rest}": count / whole for rest, count in rows} if whole else {}
