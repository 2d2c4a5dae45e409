"""Golden deals and playthroughs: what once was so stays so.

tests/data/golden.jsonl holds deals as records, tests/data/playthrough_*.txt one deal of each
variant as text. `python -m tests.regenerate` writes them anew.
"""

import json
import random
from pathlib import Path

import pytest

from tests.compare import choose, reference_deal
from touti_env import Game, records
from touti_env.core.cards import SEATS
from touti_env.core.state import Phase

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "golden.jsonl"
LINES = GOLDEN.read_text().splitlines() if GOLDEN.exists() else []

# What deals there must be, and under which rules.
FEATURES = {
    "made with Ghna": ("standard", lambda game: made(game) and game.state.ghna_points >= 40),
    "made without": ("plain", lambda game: made(game) and game.state.ghna_points == 0),
    "failed by ten or less": (
        "standard",
        lambda game: 0 < game.state.contract - game.state.total <= 10,
    ),
    "on the nose": ("standard", lambda game: 0 < game.state.contract == game.state.total),
    "cancelled": ("plain", lambda game: game.state.contract == 0),
    "cancelled after an announcement": (
        "standard",
        lambda game: game.state.contract == 0 and game.state.announced.any(),
    ),
    "the last one in bids": (
        "standard",
        lambda game: (game.state.left_at == 0).sum() == 3 and game.state.contract > 0,
    ),
    "three Ghnas": ("standard", lambda game: (game.state.ghna_by >= 0).sum() >= 3),
    "a Ghna by declarer's partner": (
        "standard",
        lambda game: game.state.declarer ^ 2 in game.state.ghna_by,
    ),
    "all tricks but one": ("standard", lambda game: 9 in game.state.tricks),
    "a match won": ("standard", lambda game: game.match_over),
    "conceded and made": ("full", lambda game: game.state.conceded == 1 and made(game)),
    "conceded, yet failed": ("full", lambda game: game.state.conceded == 1 and not made(game)),
    "conceded in mid-trick with Ghna credited": (
        "full",
        lambda game: (
            game.state.conceded == 1
            and game.state.played % SEATS > 0
            and game.state.ghna_points > 20 * (game.state.ghna_by >= 0).sum()
        ),
    ),
    "talk of conceding, to no end": (
        "full",
        lambda game: game.state.proposals.any() and not game.state.conceded,
    ),
}

PLAYTHROUGHS = {"standard": 36, "full": 54, "plain": 28}


def made(game: Game) -> bool:
    return bool(game.state.total >= game.state.contract > 0)


def replayed(line: str) -> Game:
    record = records.loads(line)
    game = Game(
        record.rules, record.seed, hands=record.hands, dealer=record.dealer, score=record.score
    )
    for action in record.actions:
        game.push(action)
    return game


def playthrough_file(variant: str) -> Path:
    return DATA / f"playthrough_{variant}.txt"


def playthrough(variant: str, seed: int) -> str:
    """One deal by random words: the table before the auction, before the play and at the end."""
    game, chance = Game(variant, seed=seed), random.Random(seed)
    lines = [str(game), ""]
    while words := game.legal_words():
        phase = game.phase
        if phase == Phase.AUCTION:
            words = [*words[:2], *(word for word in words if not word.isdigit())]
        word = choose(words, chance)
        lines.append(f"seat {game.seat} {phase.name.lower()}: {word}  of {', '.join(words)}")
        game.push(word)
        if phase == Phase.TRUMP:
            lines += ["", str(game), ""]
    return "\n".join([*lines, "", str(game), ""])


@pytest.mark.parametrize("line", LINES, ids=range(1, len(LINES) + 1))
def test_a_golden_deal(line):
    """It replays to its result, by the second rulebook too, and is written as it was read."""
    game = replayed(line)
    assert records.dumps(game.record()) == line
    content = json.loads(line)
    record = records.loads(line)
    begun = Game(record.rules, hands=record.hands, dealer=record.dealer)
    reference = reference_deal(begun)
    # Custom numbers are beyond the second rulebook.
    if record.rules.name == "custom":
        return
    for word in content["actions"]:
        reference.push(word)
    result = content["result"]
    assert result["contract"] == reference.contract
    assert result["declarer"] == reference.declarer
    assert result["points"] == reference.points
    assert result["ghna"] == reference.ghna_points
    assert result["total"] == reference.total
    assert result["scored"] == reference.scored


@pytest.mark.parametrize("feature", FEATURES)
def test_golden_deals_show_every_ending(feature):
    rules, holds = FEATURES[feature]
    assert any(game.rules.name == rules and holds(game) for game in map(replayed, LINES))


@pytest.mark.parametrize("variant", PLAYTHROUGHS)
def test_a_playthrough(variant):
    assert playthrough(variant, PLAYTHROUGHS[variant]) == playthrough_file(variant).read_text()
