"""Play both rulebooks side by side: `python -m tests.compare --decisions N`."""

import argparse
import random
from dataclasses import dataclass

from tests.reference import ReferenceDeal
from touti_env.core.cards import SEATS
from touti_env.core.rules import VARIANTS
from touti_env.game import Game


@dataclass
class Tally:
    deals: int = 0
    decisions: int = 0


def assert_same(game: Game, reference: ReferenceDeal) -> None:
    """Phase, seat to act, legal actions and all that is counted agree."""
    state = game.state
    assert game.phase.name.lower() == reference.phase
    assert game.seat == reference.seat
    assert set(game.legal_words()) == reference.legal()
    assert state.contract == reference.contract
    assert state.declarer == reference.declarer
    assert list(state.points) == reference.points
    assert state.ghna_points == reference.ghna_points
    assert [set(game.hand(seat)) for seat in range(SEATS)] == reference.hands
    if game.deal_over:
        assert state.total == reference.total
        assert state.scored == reference.scored
        assert bool(state.conceded) == reference.conceded


def choose(words: list[str], chance: random.Random) -> str:
    """A word at random; `concede` once in 200 turns, so that deals end in every trick they may."""
    others = [word for word in words if word != "concede"]
    if len(others) == len(words) or chance.random() < (0.5 if "refuse" in words else 0.005):
        return chance.choice(words) if len(others) == len(words) else "concede"
    return chance.choice(others)


def compare_deal(variant: str, seed: int, tally: Tally) -> None:
    """One deal by random words, compared at every decision."""
    chance = random.Random(f"{variant} {seed}")
    game = Game(variant, seed=seed)
    rules = VARIANTS[variant]
    reference = ReferenceDeal(
        [game.hand(seat) for seat in range(SEATS)],
        int(game.state.dealer),
        signals=rules.signals,
        announcements=rules.announcements,
        concession=rules.concession,
    )
    longer_auction = chance.random() < 0.5
    assert_same(game, reference)
    while not game.deal_over:
        words = game.legal_words()
        if longer_auction and game.phase.name == "AUCTION" and len(words) > 4:
            words = [*words[:2], *(word for word in words if not word.isdigit())]
        word = choose(words, chance)
        game.push(word)
        reference.push(word)
        assert_same(game, reference)
        tally.decisions += 1
    tally.deals += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--first-seed", type=int, default=0)
    arguments = parser.parse_args()
    total = 0
    for variant in VARIANTS:
        tally, seed = Tally(), arguments.first_seed
        while tally.decisions * len(VARIANTS) < arguments.decisions:
            compare_deal(variant, seed, tally)
            seed += 1
        total += tally.decisions
        print(f"{variant}: {tally.decisions} decisions of {tally.deals} deals agree")
    print(f"all: {total} decisions agree")


if __name__ == "__main__":
    main()
