"""A ladder: every pair of some agents on the same duplicate deals, rated, and kept in a file.

The deals are those of the arena. Agents are put in the order of their names before they play, so
the order in which they are listed changes nothing. With a file, what is played is kept there as it
comes: whoever asks again for the same ladder goes on from there, to the same numbers, and whoever
adds an agent plays its matches only. Pairs of agents that are not asked for stay in the file.

>>> from touti_env import agent, ladder
>>> names = ("heuristic", "sane", "uniform")
>>> standings = ladder.play({name: agent.load(name) for name in names}, deals=50)
>>> standings.specs
('heuristic', 'sane', 'uniform')
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

from . import __version__, arena
from .agent import Agent
from .arena import Progress
from .core.deal import check_seed
from .core.rules import RULES_VERSION, Rules, as_rules
from .files import replacing
from .results import CrossPlay, Match, Tally
from .standings import Standings, stand

FORMAT = "touti-ladder-1"
ANCHOR = "heuristic"
SAVE_EVERY = 5.0
"""Seconds between two savings of a match that goes on."""

Pair: TypeAlias = tuple[str, str]


class LadderError(ValueError):
    """A file that holds no ladder, or another one."""


def play(
    agents: Mapping[str, Agent],
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "standard",
    batch: int = 512,
    anchor: str = ANCHOR,
    path: str | Path | None = None,
    files: Mapping[str, Mapping[str, str]] | None = None,
    progress: Progress | None = None,
) -> Standings:
    """Play what is not yet played of a ladder, and rate its agents.

    Args:
        agents: Two agents or more, each by the line of text that names it.
        deals: How many each pair plays, at least 2.
        seed: Which deals, 0 to 2^63 - 1.
        rules: A variant's name or a `Rules`.
        batch: How many deals are played at once.
        anchor: Which of the agents is rated 0.
        path: The file that keeps the results. It is made if there is none.
        files: For each agent the digests of the files that it is made of (`agent.files`), so that
            one that has changed is not taken for what it was.
        progress: Told how many of the deals that are not in the file yet are played.

    Raises:
        ValueError: An argument is out of its range, or the anchor is none of the agents.
        LadderError: The file holds no ladder, or one of other deals, rules or files.
    """
    rules, seed = as_rules(rules), check_seed(seed)
    arena.check_number("deals", deals, 2)
    if len(agents) < 2:
        raise ValueError(f"a ladder needs two agents or more, not {len(agents)}")
    if anchor not in agents:
        raise ValueError(f"anchor is {anchor!r}; one of {', '.join(sorted(agents))} is valid")
    specs = sorted(agents)
    made_of = {spec: dict((files or {}).get(spec, {})) for spec in specs}
    store = _Store(path, rules, seed, deals, made_of)
    pairs = list(combinations(specs, 2))
    total = len(pairs) * deals - store.deals_of(pairs)
    matches, done = [], 0
    for pair in pairs:
        a, b = (agents[spec] for spec in pair)
        begun = store.deals_of([pair])
        part = arena.part_of(progress, done - begun, total)
        keep = partial(store.keep, pair)
        match = store.matches.get(pair)
        matches.append(arena.duplicate(a, b, deals, seed, rules, batch, part, match, keep))
        done += deals - begun
    return stand(specs, CrossPlay(_labels(specs, agents), tuple(matches)), anchor)


def _labels(specs: list[str], agents: Mapping[str, Agent]) -> tuple[str, ...]:
    """What the tables call each agent: its own name if no other has it, else its spec."""
    times = Counter(agents[spec].name for spec in specs)
    return tuple(agents[spec].name if times[agents[spec].name] == 1 else spec for spec in specs)


class _Store:
    """The matches of a ladder, in a file if there is a path; written whole or not at all."""

    def __init__(
        self,
        path: str | Path | None,
        rules: Rules,
        seed: int,
        deals: int,
        agents: dict[str, dict[str, str]],
    ) -> None:
        self.path = None if path is None else Path(path)
        self.rules, self.seed, self.deals = rules, seed, deals
        self.agents = dict(agents)
        self.matches: dict[Pair, Match] = {}
        self.saved = time.monotonic()
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def deals_of(self, pairs: Iterable[Pair]) -> int:
        """How many deals these pairs have played."""
        return sum(self.matches[pair].deals for pair in pairs if pair in self.matches)

    def keep(self, pair: Pair, match: Match) -> None:
        """Keep a match as far as it is played; on disk once it is finished, or now and then."""
        self.matches[pair] = match
        finished = match.deals == self.deals
        if self.path and (finished or time.monotonic() - self.saved > SAVE_EVERY):
            self._write(self.path)
            self.saved = time.monotonic()

    def _head(self) -> dict[str, Any]:
        """What must be the same for results to be comparable."""
        return {
            "format": FORMAT,
            "version": __version__,
            "rules_version": RULES_VERSION,
            "rules": self.rules.asdict(),
            "seed": self.seed,
            "deals": self.deals,
        }

    def _write(self, path: Path) -> None:
        matches = [
            {
                "agents": pair,
                "tallies": [dataclasses.asdict(tally) for tally in match.agents],
                "cancelled": match.cancelled,
                "values": match.values,
            }
            for pair, match in sorted(self.matches.items())
        ]
        content = {**self._head(), "agents": self.agents, "matches": matches}
        with replacing(path) as file:
            json.dump(content, file)

    def _read(self, path: Path) -> None:
        """Take over the matches of a file of the same ladder."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            known = content if isinstance(content, dict) else {}
            for key, value in self._head().items():
                if known.get(key) != value:
                    raise LadderError(
                        f"{path}: {key} is {known.get(key)!r} in the file, {value!r} was asked "
                        "for; ask for the same, or name another file"
                    )
            for spec, made_of in self.agents.items():
                if content["agents"].get(spec, made_of) != made_of:
                    raise LadderError(
                        f"{path}: {spec} was made of other files when it played "
                        f"({content['agents'][spec]}, now {made_of}); name another file"
                    )
            self.agents = content["agents"] | self.agents
            for row in content["matches"]:
                first, second = (_tally(tally) for tally in row["tallies"])
                a, b = row["agents"]
                values = tuple(map(float, row["values"]))
                self.matches[a, b] = Match(
                    (first, second), self.rules, self.seed, values, int(row["cancelled"])
                )
        except LadderError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise LadderError(f"{path} holds no ladder: {error!r}") from error


def _tally(content: dict[str, Any]) -> Tally:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
    }
    return Tally(**fields)
