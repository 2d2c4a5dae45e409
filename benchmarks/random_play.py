"""What random play looks like, as two tables in markdown.

    python -m benchmarks.random_play --agent uniform --deals 100000

Deal i is the first one of game i of a `VectorEnv` with the same seed. The chance of a decision
depends on the seed, the deal and how many actions came before, so the same command prints the same
tables.

A *choice* is a decision with more than one legal action, a proposal to concede not counted: what an
environment made with `play_forced` asks for.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from touti_env import agent
from touti_env.core import deal, engine
from touti_env.core._jit import jit
from touti_env.core.actions import LEVELS, NUM_ACTIONS, contract_of
from touti_env.core.rules import VARIANTS, as_rules
from touti_env.core.state import OVER, STATE, Phase, States, new_states
from touti_env.episode import forced_action
from touti_env.view import look

AGENTS = ("uniform", "sane")
PHASES = [phase for phase in Phase if phase != Phase.OVER]
AT_ONCE = 8192

Ints: TypeAlias = npt.NDArray[np.int64]
Words: TypeAlias = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Played:
    """Finished deals, N of them, and what was counted on the way.

    Attributes:
        tables: STATE[N].
        decisions: int64[N, 6], by phase.
        choices: int64[N].
        options: int64[N], legal actions, summed over the decisions.
    """

    tables: States
    decisions: Ints
    choices: Ints
    options: Ints


def play(name: str, variant: str, deals: int, seed: int) -> Played:
    """Let the agent `name` play all four seats of `deals` deals."""
    player = agent.load(name)
    tables = new_states(deals)
    tables["rules"] = as_rules(variant).record()
    played = Played(
        tables,
        np.zeros((deals, len(PHASES)), np.int64),
        np.zeros(deals, np.int64),
        np.zeros(deals, np.int64),
    )
    _begin(tables, seed)
    for first in range(0, deals, AT_ONCE):
        last = min(first + AT_ONCE, deals)
        part = slice(first, last)
        rows = np.arange(first, last)
        while len(rows):
            views, words = np.zeros(len(rows), STATE), np.empty(len(rows), np.uint64)
            _look(tables, rows, played.decisions, seed, views, words)
            actions = agent.act_many(player, views, words)
            _take(tables, rows, actions, played.decisions, played.choices, played.options)
            rows = first + np.flatnonzero(tables["phase"][part] != OVER)
    return played


@jit
def _begin(tables: States, seed: int) -> None:
    for i in range(tables.size):
        deal.seed_stream(tables[i], deal.game_key(seed, i))
        engine.new_match(tables[i])


@jit
def _look(
    tables: States, rows: Ints, decisions: Ints, seed: int, views: States, words: Words
) -> None:
    """What the seat to act knows at each of `rows`, and the chance of its decision."""
    for k in range(rows.size):
        i = rows[k]
        look(tables[i], tables[i].seat, views[k])
        words[k] = deal.word_at(deal.mix(~deal.game_key(seed, i)), decisions[i].sum())


@jit
def _take(
    tables: States, rows: Ints, actions: Ints, decisions: Ints, choices: Ints, options: Ints
) -> None:
    """Count the decision at each of `rows`, and take its action."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    for k in range(rows.size):
        i = rows[k]
        decisions[i, tables[i].phase] += 1
        choices[i] += forced_action(tables[i], mask) < 0
        options[i] += mask.sum()
        engine.apply(tables[i], actions[k])


def summary(columns: dict[str, Played]) -> str:
    """How deals end and how long they are."""
    rows: dict[str, list[str]] = {}
    for played in columns.values():
        for label, value in _facts(played).items():
            rows.setdefault(label, []).append(value)
    return _markdown(["rules", *columns], [[label, *values] for label, values in rows.items()])


def _facts(played: Played) -> dict[str, str]:
    tables, decisions = played.tables, played.decisions
    contested = tables["contract"] > 0
    made = contested & (tables["scored"] == tables["declarer"] & 1)
    lengths = decisions.sum(1)
    return {
        "cancelled deals": _share(~contested),
        "conceded deals": _share(tables["conceded"] == 1),
        "contracts made, of those bid": _share(made[contested]),
        "cards played per deal": f"{tables['played'].mean():.1f}",
        "decisions per deal": f"{lengths.mean():.1f}",
        "fewest and most decisions": f"{lengths.min()} and {lengths.max()}",
        "choices per deal": f"{played.choices.mean():.1f}",
        "legal actions per decision": f"{played.options.sum() / lengths.sum():.1f}",
        **{
            f"decisions per deal, {phase.name.lower()}": f"{decisions[:, phase].mean():.2f}"
            for phase in PHASES
        },
    }


def contracts(columns: dict[str, Played]) -> str:
    """Every contract: the share of all deals and, in brackets, how many of these made it."""
    rows = []
    for level in range(1, LEVELS + 1):
        row = [str(contract_of(level))]
        for played in columns.values():
            tables = played.tables
            here = tables["contract"] == contract_of(level)
            made = (tables["scored"] == tables["declarer"] & 1)[here]
            row.append(f"{_share(here)} ({_share(made, 0)})" if here.any() else "-")
        rows.append(row)
    return _markdown(["contract", *columns], rows)


def _share(flags: npt.NDArray[np.bool_], digits: int = 1) -> str:
    return f"{flags.mean():.{digits}%}" if len(flags) else "-"


def _markdown(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description="Statistics of random play, as markdown tables.")
    parser.add_argument("--agent", choices=AGENTS, default="uniform")
    parser.add_argument("--rules", choices=list(VARIANTS), nargs="+", default=list(VARIANTS))
    parser.add_argument("--deals", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    options = parser.parse_args(arguments)
    if options.deals < 1:
        parser.error("--deals: 1 or more is valid")
    columns = {
        rules: play(options.agent, rules, options.deals, deal.check_seed(options.seed))
        for rules in options.rules
    }
    print(summary(columns), contracts(columns), sep="\n\n")


if __name__ == "__main__":
    main()
