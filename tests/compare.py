"""Play both rulebooks side by side: `python -m tests.compare --decisions N`."""

import argparse
import random
from dataclasses import dataclass

from tests.reference import ReferenceDeal
from touti_env.core.cards import SEATS
from touti_env.core.rules import VARIANTS, Rules
from touti_env.core.state import Phase
from touti_env.game import Game
from touti_env.notation import CARD_NAMES

PHASE_NAMES = {int(phase): phase.name.lower() for phase in Phase}
CARD_BITS = {name: 1 << card for card, name in enumerate(CARD_NAMES)}


@dataclass
class Tally:
    deals: int = 0
    decisions: int = 0


def reference_deal(game: Game) -> ReferenceDeal:
    """The same deal, about to begin, by the second rulebook."""
    return ReferenceDeal(
        [game.hand(seat) for seat in range(SEATS)],
        int(game.state.dealer),
        signals=game.rules.signals,
        announcements=game.rules.announcements,
        concession=game.rules.concession,
    )


def agreed_words(game: Game, reference: ReferenceDeal) -> list[str]:
    """The legal words, once phase, seat to act, and all that is counted agree as they do."""
    state, words = game.state, game.legal_words()
    assert PHASE_NAMES[state.phase] == reference.phase
    assert state.seat == reference.seat
    assert set(words) == reference.legal()
    assert state.contract == reference.contract
    assert state.declarer == reference.declarer
    assert state.points.tolist() == reference.points
    assert state.ghna_points == reference.ghna_points
    hands = [sum(CARD_BITS[card] for card in hand) for hand in reference.hands]
    assert state.hands.tolist() == hands
    if reference.phase == "over":
        assert state.total == reference.total
        assert state.scored == reference.scored
        assert bool(state.conceded) == reference.conceded
    return words


def choose(words: list[str], chance: random.Random) -> str:
    """A word at random; `concede` once in 200 turns, so that deals end in every trick they may."""
    others = [word for word in words if word != "concede"]
    if len(others) == len(words) or chance.random() < (0.5 if "refuse" in words else 0.005):
        return chance.choice(words) if len(others) == len(words) else "concede"
    return chance.choice(others)


def compare_deal(rules: str | Rules, seed: int, tally: Tally) -> None:
    """One deal by random words, compared at every decision."""
    chance = random.Random(f"{rules} {seed}")
    game = Game(rules, seed=seed)
    reference = reference_deal(game)
    longer_auction = chance.random() < 0.5
    words = agreed_words(game, reference)
    while words:
        if longer_auction and game.phase == Phase.AUCTION and len(words) > 4:
            words = [*words[:2], *(word for word in words if not word.isdigit())]
        word = choose(words, chance)
        game.push(word)
        reference.push(word)
        words = agreed_words(game, reference)
        tally.decisions += 1
    assert game.deal_over
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
