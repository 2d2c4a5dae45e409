"""docs/rules.md §3: the auction. Seat 1 opens."""

import random

import pytest

from tests.tables import options, table, walk
from touti_env import Game
from touti_env.core.state import Phase

LEAVE = "pass AS COMPTE"


@pytest.mark.parametrize(
    ("said", "seat", "legal"),
    [
        pytest.param("", 1, f"70..230 {LEAVE}", id="3.1 the bids are 70 to 230"),
        pytest.param("70", 2, f"80..230 {LEAVE}", id="3.1 a bid exceeds the one that stands"),
        pytest.param("150", 2, f"160..230 {LEAVE}", id="3.1 a bid may jump"),
        pytest.param("70 80 90", 0, f"100..230 {LEAVE}", id="3.1 by all who are in"),
        pytest.param("220", 2, f"230 {LEAVE}", id="3.1 up to 230"),
        pytest.param("pass", 2, f"70..230 {LEAVE}", id="3.2 a pass puts out"),
        pytest.param("pass 70 silent pass", 0, f"80..230 {LEAVE}", id="3.2 one after the other"),
        pytest.param("AS", 2, f"70..230 {LEAVE}", id="3.3 announced before anyone has bid"),
        pytest.param("COMPTE AS", 3, f"70..230 {LEAVE}", id="3.3 by more than one"),
        pytest.param(
            "70 80 pass pass silent", 1, f"90..230 {LEAVE}", id="3.3 after being overcalled"
        ),
        pytest.param("70 80 90 100", 1, f"110..230 {LEAVE}", id="3.4 after 3 comes 0 again"),
        pytest.param(
            "70 AS 80 silent 90", 1, f"100..230 {LEAVE}", id="3.4 who is out is passed over"
        ),
        pytest.param("pass pass pass", 0, f"70..230 {LEAVE}", id="3.6 the last one in is asked"),
        pytest.param("AS COMPTE pass", 0, f"70..230 {LEAVE}", id="3.6 announced out"),
        pytest.param("230", 2, LEAVE, id="3.8 230 cannot be beaten"),
        pytest.param("230 pass", 3, LEAVE, id="3.8 all have their turn"),
    ],
)
def test_a_turn(said, seat, legal):
    game = table(said)
    assert (game.phase, game.seat) == (Phase.AUCTION, seat)
    assert set(game.legal_words()) == options(legal)


@pytest.mark.parametrize(
    ("said", "declarer", "contract"),
    [
        pytest.param("70 pass pass silent pass", 1, 70, id="3.5 only the bidder is in"),
        pytest.param("70 80 pass pass silent pass", 2, 80, id="3.5 the bidder overcalled"),
        pytest.param("70 80 pass pass silent AS", 2, 80, id="3.3 an announcement is a pass"),
        pytest.param("pass pass 120 silent pass", 3, 120, id="3.5 out from the start"),
        pytest.param("AS COMPTE 70 stop COMPTE", 3, 70, id="3.3 all announced but one"),
        pytest.param("pass pass pass 70", 0, 70, id="3.6, 11.8 the last one in bids"),
        pytest.param("pass pass AS 230", 0, 230, id="3.6 at any level"),
        pytest.param("230 pass pass +10 pass", 1, 230, id="3.8 at 230"),
    ],
)
def test_the_end(said, declarer, contract):
    game = table(said)
    assert (game.phase, game.seat) == (Phase.TRUMP, declarer)
    assert (game.state.declarer, game.state.contract) == (declarer, contract)


@pytest.mark.parametrize(
    "said",
    ["pass pass pass pass", "AS COMPTE AS COMPTE", "pass AS pass COMPTE", "AS pass pass pass"],
)
def test_a_cancelled_deal(said):
    """§3.7, §9.4."""
    game = table(said, score=(250, 310))
    assert game.deal_over
    assert game.seat == -1
    assert game.legal_words() == []
    assert game.score == (250, 310)
    assert (game.state.contract, game.state.scored) == (0, -1)


@pytest.mark.parametrize(
    ("said", "seat", "legal"),
    [
        pytest.param("", 1, "70..230 pass", id="3.9 the opener"),
        pytest.param("pass 70", 3, "80..230 pass", id="3.9 after a bid"),
        pytest.param("230", 2, "pass", id="3.9 at 230"),
    ],
)
def test_without_announcements(said, seat, legal):
    game = table(said, rules="plain")
    assert (game.phase, game.seat) == (Phase.AUCTION, seat)
    assert set(game.legal_words()) == options(legal)


@pytest.mark.parametrize(
    ("said", "left_at"),
    [
        ("", [None] * 4),
        ("pass 70", [None, 0, None, None]),
        ("70 AS pass silent 100 COMPTE", [None, None, 70, 70]),
        ("70 AS pass silent 100 COMPTE 140 +10 pass", [140, None, 70, 70]),
        ("pass pass pass pass", [0, 0, 0, 0]),
    ],
)
def test_when_each_seat_went_out(said, left_at):
    """§3.2, §10.1: the bid that stood then is remembered."""
    levels = table(said).state.left_at
    assert [
        None if level < 0 else level and 60 + 10 * level for level in levels.tolist()
    ] == left_at


@pytest.mark.parametrize("dealer", range(4))
def test_the_seat_after_the_dealer_opens(dealer):
    """§2.3."""
    assert table(dealer=dealer).seat == (dealer + 1) % 4


@pytest.mark.parametrize("seed", range(30))
def test_turns_are_for_those_who_are_in(seed):
    """§3.2, §3.3: who is out has no turn, so nobody announces twice or after signalling."""
    game = Game(seed=seed)
    out = set()
    for word in walk(game, random.Random(seed)):
        if game.phase == Phase.AUCTION:
            assert game.seat not in out
            if not word.isdigit():
                out.add(game.seat)
        elif game.phase == Phase.SIGNAL:
            assert game.seat in out
        else:
            assert len(out) == 3
            break
    else:
        assert len(out) == 4
