"""The score counted at a table (docs/rules.md §7.3, §8.4-8.6, §9) is the engine's."""

import doctest
import itertools
import json
import random

import numpy as np
import pytest

from tests.tables import ending, say
from tests.test_cli import refused
from touti_env import Game, cli, counting
from touti_env.core import batch, ghna, scoring
from touti_env.core.rules import VARIANTS
from touti_env.core.state import OVER
from touti_env.counting import CONTRACTS, ScoreError, conceded, played
from touti_env.notation import parse_card, parse_cards

POINTS = [points for points in range(121) if points not in (1, 119)]
WON, LOST = ("6O", "2O", "4O", "5O"), ("2O", "6O", "4O", "5O")  # a last trick without points
SETS = ["".join(suits) for n in range(5) for suits in itertools.combinations("COEB", n)]


def worths(suits: str) -> list[int]:
    """What Ghnas of these suits are worth, trump being copas."""
    return [40 if suit == "C" else 20 for suit in suits]


def cap(contract: int) -> int:
    return {70: 0, 80: 20, 90: 40}.get(contract, 100)


def test_the_example_of_the_module():
    assert doctest.testmod(counting).failed == 0


def test_all_variants_count_alike():
    for rules in VARIANTS.values():
        for field in ("target", "last_trick", "ghna_trump", "ghna_plain", "ghna_caps"):
            assert getattr(rules, field) == getattr(VARIANTS["standard"], field)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_count_equals_the_engine(contract):
    """§9: all card points that can be, either last trick, all sets of Ghnas under the cap."""
    counted = 0
    for suits in SETS:
        if sum(worths(suits)) > cap(contract):
            continue
        for cards, side in ((WON, "declarers"), (LOST, "defenders")):
            start = ending(cards, contract=contract, taken=0, ghna=suits)._states
            ends = np.repeat(start, len(POINTS))
            ends["points"][:, 0] = POINTS
            ends["points"][:, 1] = [120 - points for points in POINTS]
            for card in cards:
                batch.apply(ends, np.full(len(ends), parse_card(card)))
            assert (ends["phase"] == OVER).all()
            for points, end in zip(POINTS, ends, strict=True):
                result = played(contract, points, side, worths(suits))
                assert result.total == end["total"]
                assert result.made == (end["scored"] == 0)
                assert end["score"].tolist() == ([contract, 0] if result.made else [0, contract])
                assert result.by == abs(result.total - contract)
                counted += 1
    assert counted == len(POINTS) * 2 * len([s for s in SETS if sum(worths(s)) <= cap(contract)])


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_order_of_ghnas_equals_the_engine(contract):
    """§7.3: refused as soon as one does not fit, whatever would come after."""
    for suits in itertools.chain.from_iterable(itertools.permutations("COEB", n) for n in range(5)):
        state = ending(["12C 11C", "2O 4O", "2E 4E", "2B 4B"], contract=contract).state
        fits = True
        for suit in suits:
            number = "OCEB".index(suit)
            state.hands[0] = parse_cards(f"12{suit} 11{suit}")
            fits = fits and bool(ghna.may_declare(state, 0, number))
            state.ghna_by[number] = 0
            state.ghna_points += worths(suit)[0]
        if fits:
            counting.check_ghna(contract, worths("".join(suits)))
        else:
            with pytest.raises(ScoreError, match=r"§7\.3"):
                counting.check_ghna(contract, worths("".join(suits)))


def conceded_deal(chance: random.Random) -> Game:
    """A deal at random, with few or many bids and Ghnas, given up at a random moment."""
    game = Game("full", seed=chance.randrange(2**31))
    say(game, str(chance.choice([70, 80, 90, 90, 100, 150, 230])))
    while "trump C" not in game.legal_words():
        game.push("silent" if "silent" in game.legal_words() else "pass")
    game.push(chance.choice(game.legal_words()))
    patience = chance.random() * 0.2
    while True:
        words = game.legal_words()
        if "concede" in words and chance.random() < patience + (game.state.played > 30):
            return game
        if game.deal_over:
            return conceded_deal(chance)
        ghnas = [word for word in words if word.startswith("ghna")]
        cards = [word for word in words if word != "concede"]
        game.push(chance.choice(ghnas if ghnas and chance.random() < 0.7 else cards))


def whole_pairs(game: Game) -> list[int]:
    """What the declaring team's pairs are worth that are whole in one hand and not declared."""
    state = game.state
    held = [set(game.hand(seat)) for seat in (state.declarer, (state.declarer + 2) % 4)]
    return [
        40 if number == state.trump else 20
        for number, suit in enumerate("OCEB")
        for hand in held
        if {f"12{suit}", f"11{suit}"} <= hand and state.ghna_by[number] < 0
    ]


def test_a_thousand_conceded_deals_equal_the_engine():
    chance = random.Random(8)
    seen = {"declared": 0, "credited": 0, "over the cap": 0, "failed": 0}
    for _ in range(1000):
        game = conceded_deal(chance)
        state = game.state
        contract, defenders = int(state.contract), 1 - (int(state.declarer) & 1)
        declared = sorted((int(state.ghna_trick[s]), s) for s in range(4) if state.ghna_by[s] >= 0)
        result = conceded(
            contract,
            int(state.points[defenders]),
            [40 if suit == state.trump else 20 for _, suit in declared],
            whole_pairs(game),
        )
        say(game, "concede concede")
        assert game.deal_over
        assert result.total == state.total
        assert result.made == (state.scored != defenders)
        assert sum(result.ghna) + result.credited == state.ghna_points
        assert result.points == state.points[1 - defenders]
        seen["declared"] += bool(declared)
        seen["credited"] += result.credited > 0
        seen["over the cap"] += sum(result.pairs) > result.credited
        seen["failed"] += not result.made
    assert min(seen.values()) > 20, seen


@pytest.mark.parametrize(
    ("call", "paragraph"),
    [
        pytest.param(lambda: played(95, 65, "defenders"), "3.1", id="no bid"),
        pytest.param(lambda: played(60, 65, "defenders"), "3.1", id="below 70"),
        pytest.param(lambda: played(240, 65, "defenders"), "3.1", id="above 230"),
        pytest.param(lambda: played(100.0, 65, "defenders"), "3.1", id="no integer"),
        pytest.param(lambda: played(100, 1, "defenders"), "1.6", id="1 card point"),
        pytest.param(lambda: played(100, 119, "defenders"), "1.6", id="119 card points"),
        pytest.param(lambda: played(100, 121, "defenders"), "1.6", id="more than there are"),
        pytest.param(lambda: played(100, -2, "defenders"), "1.6", id="less than none"),
        pytest.param(lambda: played(100, 6.5, "defenders"), "1.6", id="half points"),
        pytest.param(lambda: played(100, 65, "nobody"), "6.8", id="last trick"),
        pytest.param(lambda: played(100, 65, "defenders", [30]), "7.1", id="no such Ghna"),
        pytest.param(lambda: played(100, 65, "defenders", [40, 40]), "7.1", id="two trumps"),
        pytest.param(lambda: played(100, 65, "defenders", [20] * 4), "7.1", id="four plain"),
        pytest.param(lambda: played(70, 65, "defenders", [20]), "7.3", id="20 at 70"),
        pytest.param(lambda: played(80, 65, "defenders", [40]), "7.3", id="40 at 80"),
        pytest.param(lambda: played(80, 65, "defenders", [20, 20]), "7.3", id="20, 20 at 80"),
        pytest.param(lambda: played(90, 65, "defenders", [20, 40]), "7.3", id="20, 40 at 90"),
        pytest.param(lambda: played(90, 65, "defenders", [40, 20]), "7.3", id="40, 20 at 90"),
        pytest.param(lambda: conceded(100, 1), "1.6", id="conceded at 1"),
        pytest.param(lambda: conceded(100, 119), "1.6", id="conceded at 119"),
        pytest.param(lambda: conceded(100, 117, [], [20]), "8.5", id="pairs are worth 7"),
        pytest.param(lambda: conceded(100, 3, [], [40, 20, 20, 20]), "8.5", id="no Cabal left"),
        pytest.param(lambda: conceded(100, 20, [40], [40]), "7.1", id="trumps twice"),
        pytest.param(lambda: conceded(100, 20, [20, 20], [20, 20]), "7.1", id="four plain pairs"),
        pytest.param(lambda: conceded(100, 20, [], [30]), "7.1", id="no such pair"),
        pytest.param(lambda: conceded(80, 20, [40]), "7.3", id="declared over the cap"),
    ],
)
def test_what_cannot_have_happened_is_refused(call, paragraph):
    with pytest.raises(ScoreError, match=rf"§{paragraph}\b"):
        call()


def test_points_that_can_be_taken():
    """§1.6: the sums of any cards, from the deck itself."""
    values = [0, 0, 0, 0, 0, 2, 3, 4, 10, 11] * 4
    sums = {0}
    for value in values:
        sums |= {before + value for before in sums}
    assert sorted(sums) == POINTS == sorted(counting.possible_points())


def test_the_core_decides_what_pairs_bring():
    """§8.5, §11.14."""
    rules = VARIANTS["full"].record()
    assert scoring.whole_pairs(rules, 40, 1, 1) == 40
    assert scoring.whole_pairs(rules, 20, 1, 1) == 20
    assert scoring.whole_pairs(rules, 0, 1, 3) == 0
    assert scoring.whole_pairs(rules, 100, 1, 3) == 100


# The command.


def test_the_sum_spelled_out(capsys):
    """§11.1."""
    command = "score --contract 100 --points 65 --last-trick defenders --ghna 40"
    assert cli.main(command.split()) == 0
    assert capsys.readouterr().out.splitlines() == [
        "contract 100, Ghna up to 100",
        "   65  card points of the declaring team",
        "    0  last trick, won by the defenders",
        "   40  Ghna",
        "  105  total: made by 5",
        "The declaring team scores 100.",
    ]


def test_a_concession_spelled_out(capsys):
    """§11.14."""
    command = "score --contract 90 --conceded --defenders-points 60 --pairs 40 20"
    assert cli.main(command.split()) == 0
    assert capsys.readouterr().out.splitlines() == [
        "contract 90, Ghna up to 40",
        "   60  card points: all but the 60 of the defenders",
        "   10  last trick, conceded",
        "   40  whole pairs, credited at the concession",
        "  110  total: made by 20",
        "The declaring team scores 90.",
    ]


@pytest.mark.parametrize(
    ("options", "total", "verdict"),
    [
        ("--contract 90 --points 80 --last-trick declarers", 90, "made exactly"),
        ("--contract 90 --defenders-points 40 --last-trick declarers", 90, "made exactly"),
        ("--contract 100 --points 65 --last-trick defenders", 65, "failed by 35"),
    ],
)
def test_json_and_text_say_the_same(capsys, tmp_path, options, total, verdict):
    path = tmp_path / "score.json"
    cli.main(["score", *options.split(), "--json", str(path)])
    assert f"{total:5}  total: {verdict}" in capsys.readouterr().out
    cli.main(["score", *options.split(), "--json"])
    content = json.loads(capsys.readouterr().out)
    assert content == json.loads(path.read_text())
    assert (content["total"], content["made"]) == (total, verdict.startswith("made"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--points 65 --last-trick defenders", "--contract is needed"),
        ("--contract 100 --last-trick defenders", "--points or --defenders-points is needed"),
        ("--contract 100 --points 65", "--last-trick is needed"),
        ("--contract 100 --points 119 --last-trick defenders", "cannot occur"),
        (
            "--contract 100 --defenders-points 119 --last-trick defenders",
            "points of 119 cannot",
        ),
        ("--contract 90 --points 65 --last-trick defenders --ghna 20 40", "20 of it is left"),
        ("--contract 100 --points 65 --last-trick defenders --pairs 20", "with --conceded"),
        ("--contract 100 --conceded --points 65", "needs --defenders-points"),
        ("--contract 100 --conceded --defenders-points 5 --last-trick defenders", "§8.4"),
    ],
)
def test_mistakes_are_explained(capsys, options, message):
    assert cli.main(["score", *options.split()]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.out == ""


def test_mistakes_in_the_arguments_themselves(capsys):
    both = ["--contract", "100", "--points", "6", "--defenders-points", "6"]
    assert "not allowed with" in refused(capsys, "score", *both)
    for option, valid in [
        ("--contract", "the tens from 70 to 230 are valid (§3.1)"),
        ("--points", "0 to 120 are valid (§1.6)"),
        ("--defenders-points", "0 to 120 are valid (§1.6)"),
        ("--ghna", "40 in trumps and 20 in another suit are valid (§7.1)"),
        ("--pairs", "40 in trumps and 20 in another suit are valid (§7.1)"),
    ]:
        assert f"{option}: 'ten' is no number; {valid}" in refused(capsys, "score", option, "ten")
    assert "not to stdout" in refused(capsys, "score", "--html", "-")
