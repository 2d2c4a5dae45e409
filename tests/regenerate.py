"""Write tests/data anew: `python -m tests.regenerate`; look at what git says has changed."""

import json
import random
from collections.abc import Callable
from pathlib import Path

from tests.compare import choose
from tests.test_golden import FEATURES, GOLDEN, PLAYTHROUGHS, playthrough, playthrough_file
from tests.test_perft import FILE, perft, position
from touti_env import Game, Rules, records
from touti_env.core.rules import VARIANTS
from touti_env.core.state import Phase

PERFT = [
    ("the auction from the beginning", "standard", "", 3),
    ("the auction without announcements", "plain", "", 3),
    ("the auction from 200 on", "standard", "200", 5),
    ("the auction from 220 to its end", "standard", "220", 7),
    ("the auction without signals from 210 to its end", "plain", "210", 8),
    ("the play from the first card", "standard", "70 pass pass silent pass trump O", 6),
    ("the play, with concession", "full", "pass 100 AS pass pass trump B", 5),
]
SPREAD = ("1O 12C 7E", "3O 10O 2C", "4O 1C 5E", "12O 1E 2B")
PAIRS = ("1B 12C 11C 2O", "2B 4O 5O 4C", "5B 12O 11O 4E", "7B 2E 5E 6C")
ENDINGS = [
    ("three cards each", "plain", SPREAD, {"contract": 70}, ""),
    ("three cards each, with concession", "full", SPREAD, {"contract": 70}, ""),
    ("three cards each, trump led", "standard", SPREAD, {"contract": 70, "leader": 2}, "1C"),
    ("Ghna at 80", "standard", PAIRS, {"contract": 80}, ""),
    ("Ghna at 90", "standard", PAIRS, {"contract": 90}, ""),
    ("Ghna at 100", "standard", PAIRS, {"contract": 100}, ""),
    ("Ghna at 100, the other team's", "standard", PAIRS, {"contract": 100, "declarer": 1}, ""),
    ("Ghna and concession", "full", PAIRS, {"contract": 90, "leader": 3}, "7B 1B"),
]


def write_perft() -> None:
    cases = []
    for name, rules, said, depth in PERFT:
        case = {"name": name, "rules": rules, "said": said}
        cases.append({**case, "counts": perft(position(case), depth)})
    for name, rules, hands, kind, said in ENDINGS:
        case = {"name": name, "rules": rules, "hands": hands, "ending": kind, "said": said}
        counts = perft(position(case), 40)
        cases.append({**case, "counts": counts[: counts.index(0)]})
    lines = ",\n".join(json.dumps(case) for case in cases)
    FILE.write_text(f"[\n{lines}\n]\n")


def played(rules: str | Rules, seed: int, score: tuple[int, int] = (0, 0)) -> Game:
    """A deal by random words, its auction a patient one as often as not."""
    game, chance = Game(rules, seed=seed, score=score), random.Random(seed)
    patient = chance.random() < 0.5
    while words := game.legal_words():
        if patient and game.phase == Phase.AUCTION and len(words) > 4:
            words = [*words[:2], *(word for word in words if not word.isdigit())]
        game.push(choose(words, chance))
    return game


def first(holds: Callable[[Game], bool], rules: str | Rules) -> Game:
    """The first such deal."""
    seed = 0
    while not holds(game := played(rules, seed, (560, 480))):
        seed += 1
    return game


def write_golden() -> None:
    games = [played(variant, seed) for variant in VARIANTS for seed in range(100, 106)]
    games += [first(holds, rules) for rules, holds in FEATURES.values()]
    games += [played(Rules(target=1000, signals=False, ghna_caps=(20, 40, 60, 100)), 7)]
    records.dump([game.record() for game in games], GOLDEN)


def write_playthroughs() -> None:
    for variant, seed in PLAYTHROUGHS.items():
        playthrough_file(variant).write_text(playthrough(variant, seed))


if __name__ == "__main__":
    Path(FILE).parent.mkdir(exist_ok=True)
    write_perft()
    write_golden()
    write_playthroughs()
