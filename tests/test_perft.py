"""How many sequences of decisions there are, as data: tests/data/perft.json.

Written anew by `python -m tests.regenerate`; the second rulebook counts too where that is quick.
"""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from tests.compare import reference_deal
from tests.reference import ReferenceDeal
from tests.tables import ending, say, table, words
from touti_env import Game
from touti_env.core import batch
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.state import new_states

FILE = Path(__file__).parent / "data" / "perft.json"
PERFT = json.loads(FILE.read_text())
QUICK = 20_000


def position(case: dict) -> Game:
    if "hands" in case:
        game = ending(case["hands"], **case["ending"], rules=case["rules"])
    else:
        game = table(rules=case["rules"])
    return say(game, case["said"])


def perft(game: Game, depth: int) -> list[int]:
    """The number of sequences of 0, 1, ... `depth` decisions from here."""
    states, counts = new_states(depth + 1), [0] * (depth + 1)
    states[0] = game.state
    masks = np.empty((depth + 1, NUM_ACTIONS), np.int8)

    def count(ply: int) -> None:
        counts[ply] += 1
        if ply < depth:
            batch.legal_at(states, ply, masks[ply])
            for action in np.flatnonzero(masks[ply]):
                states[ply + 1] = states[ply]
                batch.apply_at(states, ply + 1, action)
                count(ply + 1)

    count(0)
    return counts


def reference_position(case: dict) -> ReferenceDeal:
    """The same position by the second rulebook."""
    if "hands" not in case:
        reference = reference_deal(table(rules=case["rules"]))
    else:
        game = position({**case, "said": ""})
        state = game.state
        reference = reference_deal(table(rules=case["rules"]))
        reference.hands = [set(game.hand(seat)) for seat in range(4)]
        reference.contract, reference.declarer = int(state.contract), int(state.declarer)
        reference.still_in = [reference.declarer]
        reference.trump = "OCEB"[state.trump]
        reference.points = state.points.tolist()
        reference.tricks_finished = int(state.tricks.sum())
        reference.phase, reference.seat = "play", int(state.seat)
    for word in words(case["said"]):
        reference.push(word)
    return reference


def reference_perft(reference: ReferenceDeal, depth: int) -> list[int]:
    counts = [1] + [0] * depth
    if depth:
        for word in reference.legal():
            following = copy.deepcopy(reference)
            following.push(word)
            for ply, number in enumerate(reference_perft(following, depth - 1), 1):
                counts[ply] += number
    return counts


@pytest.mark.parametrize("case", PERFT, ids=[case["name"] for case in PERFT])
def test_perft(case):
    assert perft(position(case), len(case["counts"]) - 1) == case["counts"]


@pytest.mark.parametrize("case", PERFT, ids=[case["name"] for case in PERFT])
def test_the_second_rulebook_counts_the_same(case):
    counts = case["counts"]
    depth = max(ply for ply in range(len(counts)) if sum(counts[: ply + 1]) <= QUICK)
    assert reference_perft(reference_position(case), depth) == counts[: depth + 1]
