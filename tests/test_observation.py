import random
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from tests.tables import content, say, table, walk, walked
from touti_env import Game, resample, view
from touti_env.core import engine
from touti_env.core.actions import contract_of
from touti_env.core.cards import CARDS, SEATS
from touti_env.core.rules import VARIANTS
from touti_env.core.state import Phase, State
from touti_env.notation import CARD_NAMES
from touti_env.observation import (
    GROUPS,
    HIDDEN_GROUPS,
    HIDDEN_TABLE,
    LABELS,
    NEEDS,
    SIZE,
    STATE_SIZE,
    TABLE,
    describe,
    encode,
    encode_state,
)
from touti_env.render import text


def observe(state: State, seat: int) -> np.ndarray:
    out = np.full(SIZE, np.nan, np.float32)
    encode(view(state, seat), out)
    return out


def critic(state: State, seat: int) -> np.ndarray:
    out = np.full(STATE_SIZE, np.nan, np.float32)
    encode_state(state, seat, out)
    return out


def said(state: State, seat: int) -> dict[str, str]:
    """What an observation says in words, by group."""
    return dict(line.split(": ", 1) for line in describe(observe(state, seat)).splitlines())


def test_the_table_covers_the_vector_with_no_gap() -> None:
    for groups, slices, start, end in (
        (GROUPS, TABLE, 0, SIZE),
        (HIDDEN_GROUPS, HIDDEN_TABLE, SIZE, STATE_SIZE),
    ):
        places = list(slices.values())
        assert list(slices) == [group.name for group in groups]
        assert [place.stop - place.start for place in places] == [group.size for group in groups]
        assert places[0].start == start and places[-1].stop == end
        assert all(left.stop == right.start for left, right in pairwise(places))
        assert all(group.meaning for group in groups)


def test_every_number_has_a_label_of_its_own() -> None:
    assert len(LABELS) == SIZE == len(set(LABELS))
    assert LABELS[TABLE["hand"].start] == f"hand {CARD_NAMES[0]}"
    assert LABELS[TABLE["ghna_points"].start] == "ghna_points"


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_number_is_written_and_lies_between_0_and_1(variant) -> None:
    highest = np.zeros(STATE_SIZE)
    for seed in range(60):
        game, chance = Game(variant, seed=seed, score=(590, 0)), random.Random(seed)
        for _ in walk(game, chance):
            seat = chance.randrange(SEATS)
            vector = critic(game.state, seat)
            assert ((vector >= 0) & (vector <= 1)).all()
            assert (vector[:SIZE] == observe(game.state, seat)).all()
            np.maximum(highest, vector, out=highest)
        assert ((critic(game.state, 0) >= 0) & (critic(game.state, 0) <= 1)).all()
    # Nearly every number is at work: what never is needs the end of a deal or rare luck.
    assert np.count_nonzero(highest) > 0.8 * STATE_SIZE


@pytest.mark.parametrize(
    ("words", "seat", "facts"),
    [
        ("", 0, {"phase": "auction", "turn": "next", "dealer": "me"}),
        ("", 1, {"turn": "me", "dealer": "previous"}),
        ("70", 0, {"contract": "70", "declarer": "next", "bids": "next 70", "turn": "partner"}),
        ("70 pass 90 silent 100", 3, {"bids": "me 90, next 100, partner 70", "out": "previous"}),
        ("70 AS", 0, {"announced": "partner AS", "left_at": "partner 0.0588", "out": "partner"}),
        ("pass 70", 2, {"out": "previous", "left_at": None}),
        ("70 pass pass +10", 0, {"signals": "partner 70 0.6", "signalled": "partner +10"}),
        ("70 pass pass silent", 2, {"signals": "me 70", "signalled": "me silent"}),
        ("70 pass pass", 1, {"phase": "signal", "turn": "next"}),
        (
            "pass pass pass 90 trump C 3O 11O 4O 1O ghna B",
            0,
            {
                "ghna_by": "partner bastos",
                "ghna_after": "bastos 0.1",
                "ghna_points": "0.2",
                "ghna_left": "0.2",
            },
        ),
        ("pass pass pass 80 trump E", 1, {"trump": "espadas", "leader": "me", "ghna_left": "0.2"}),
    ],
)
def test_what_was_said(words, seat, facts) -> None:
    lines = said(table(words).state, seat)
    assert {name: lines.get(name) for name in facts} == facts


def test_what_was_played() -> None:
    game = table("pass pass pass 90 trump B 3O 11O 4O 1O no ghna 12O 2O 6O")
    assert said(game.state, 3) == {
        "phase": "play",
        "turn": "me",
        "hand": said(game.state, 3)["hand"],
        "played": "me 4O, next 12O, next 1O, partner 2O, partner 3O, previous 6O, previous 11O",
        "trick_of": "2O 0.2, 4O 0.1, 6O 0.2, 11O 0.1, 12O 0.2, 3O 0.1, 1O 0.1",
        "table": "2O, 6O, 12O",
        "top": "12O",
        "winner": "next",
        "worth": "0.0909",
        "beats": "2B, 6B, 7B, 3B",
        "led": "oros",
        "leader": "next",
        "trump": "bastos",
        "contract": "90",
        "declarer": "next",
        "dealer": "next",
        "bids": "next 90",
        "out": "me, partner, previous",
        "ghna_left": "0.4",
        "tricks": "theirs 0.1",
        "points": "theirs 0.2",
        "needs": "over 65",
        "unseen": said(game.state, 3)["unseen"],
        "masters": "1E",
        "length": "copas 0.2, espadas 0.3, bastos 0.4",
        "unseen_length": "oros 0.3, copas 0.8, espadas 0.7, bastos 0.6",
    }


def test_the_score_is_mine_first() -> None:
    game = table(score=(83, 415))
    assert said(game.state, 2)["score"] == "ours 0.1, theirs 0.5"
    assert said(game.state, 3)["score"] == "ours 0.5, theirs 0.1"


def test_describe_refuses_other_shapes() -> None:
    with pytest.raises(ValueError, match=f"{SIZE},"):
        describe(np.zeros(SIZE - 1, np.float32))


def test_the_play_can_be_read_back() -> None:
    """Perfect recall: who played what, in which trick and in what order."""
    for seed in range(20):
        game = walked("plain", seed, 12 + 2 * seed)
        state = game.state
        for seat in range(SEATS):
            assert plays_of(observe(state, seat), seat) == list(state.plays[: state.played])


def plays_of(vector: np.ndarray, me: int) -> list[int]:
    """The cards in order of play, from an observation alone."""
    played = vector[TABLE["played"]].reshape(SEATS, CARDS)
    tricks = np.rint(vector[TABLE["trick_of"]] * 10).astype(int)
    trump = vector[TABLE["trump"]].argmax()
    opener = (vector[TABLE["dealer"]].argmax() + 1 + me) % SEATS
    order, leader = [], opener
    for trick in range(1, tricks.max(initial=0) + 1):
        by_seat = {}
        for relative in range(SEATS):
            for card in np.flatnonzero((tricks == trick) & (played[relative] == 1)):
                by_seat[(relative + me) % SEATS] = int(card)
        seats = [(leader + place) % SEATS for place in range(len(by_seat))]
        order += [by_seat[seat] for seat in seats]
        led = by_seat[leader] // 10
        leader = max(seats, key=lambda s: worth(by_seat[s], led, trump))
    return order


def worth(card: int, led: int, trump: int) -> int:
    """A card's power in a trick."""
    suit, strength = divmod(card, 10)
    return strength + 20 * (suit == trump) + 10 * (suit == led)


def test_the_auction_can_be_read_back() -> None:
    for seed in range(40):
        state = walked("standard", seed, 4 + seed // 2).state
        vector = observe(state, 0)
        bids = vector[TABLE["bids"]].reshape(SEATS, 17)
        signals = np.rint(vector[TABLE["signals"]].reshape(SEATS, 17) * 5)
        left = np.rint(vector[TABLE["left_at"]] * 17) - 1 + vector[TABLE["out"]]
        for seat in range(SEATS):
            levels = [level for level in range(1, 18) if int(state.bids[seat]) >> level & 1]
            assert list(np.flatnonzero(bids[seat]) + 1) == levels
            assert (signals[seat] == state.signals[seat, 1:]).all()
            assert left[seat] == state.left_at[seat]
        assert state.contract == 0 or contract_of(int(bids.max(0).nonzero()[0][-1]) + 1) == (
            state.contract
        )


def test_what_the_declaring_team_lacks_can_be_read_back() -> None:
    seen = set()
    for seed in range(120):
        game, chance = Game("plain", seed=seed), random.Random(seed)
        say(game, f"{(70, 80, 230)[seed % 3]} pass pass pass")
        for _ in walk(game, chance):
            state = game.state
            got = state.points[state.declarer & 1] + state.ghna_points
            lacks = int(state.contract - got) if state.contract else 0
            needs = observe(state, chance.randrange(SEATS))[TABLE["needs"]]
            assert list(needs) == [lacks > number for number in NEEDS]
            seen.add(lacks)
    assert {0, 1, 2, 49, 50, 51, 55, 56} <= seen and min(seen) < 0 and max(seen) > NEEDS[-1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_views_that_differ_are_observed_differently(variant) -> None:
    """Whatever is done at a position, all who may know of it see it, and nobody else."""
    known: dict[bytes, set[bytes]] = defaultdict(set)
    for seed in range(12):
        game, chance = Game(variant, seed=seed), random.Random(seed)
        for _ in walk(game, chance):
            if chance.random() < 0.3:
                for action in game.legal_actions():
                    game.push(action)
                    for seat in range(SEATS):
                        shown = view(game.state, seat)
                        known[observe(shown, seat).tobytes() + bytes([seat])].add(content(shown))
                    game.pop()
    assert len(known) > 2000
    assert {len(views) for views in known.values()} == {1}


def test_seats_are_relative() -> None:
    """The whole table turned by one seat looks the same to everybody."""
    for seed in range(8):
        game, chance = Game("full", seed=seed), random.Random(seed)
        hands = [game.hand(seat) for seat in range(SEATS)]
        dealer = int(game.state.dealer)
        turned = Game("full", seed=0, hands=hands[-1:] + hands[:-1], dealer=(dealer + 1) % SEATS)
        for word in walk(game, chance):
            for seat in range(SEATS):
                there = (seat + 1) % SEATS
                assert (observe(game.state, seat) == observe(turned.state, there)).all()
                assert (critic(game.state, seat) == critic(turned.state, there)).all()
            turned.push(word)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_a_seat_cannot_see_does_not_show(variant) -> None:
    rng = np.random.default_rng(1)
    for seed in range(20):
        game, chance = Game(variant, seed=seed), random.Random(seed)
        for _ in walk(game, chance):
            seat = chance.randrange(SEATS)
            mine = view(game.state, seat)
            other = resample(mine, rng)
            assert observe(game.state, seat).tobytes() == observe(other, seat).tobytes()
            assert observe(game.state, seat).tobytes() == observe(mine, seat).tobytes()
            assert text(mine) == text(view(other, seat))


def test_a_ghna_asked_and_declined_moves_no_other_observation() -> None:
    asked = 0
    for seed in range(200):
        game, chance = Game("plain", seed=seed), random.Random(seed)
        for _ in walk(game, chance):
            if game.phase != Phase.GHNA:
                continue
            asked += 1
            mover = game.seat
            twin = game.clone()
            twin.push("no ghna")
            for seat in set(range(SEATS)) - {mover}:
                public = observe(game.state, seat)
                if twin.phase != Phase.GHNA or twin.seat != seat:
                    assert (public == observe(twin.state, seat)).all()
                assert public[TABLE["phase"]].argmax() == Phase.PLAY
                assert public[TABLE["turn"]].argmax() == (int(game.state.winner) - seat) % SEATS
    assert asked > 20


def test_concession_talk_reaches_the_defenders_alone() -> None:
    game = table("pass pass pass 90 trump B 3O 11O", rules="full")
    declaring, proposer, partner = (0, 2), 3, 1
    before = [observe(game.state, seat) for seat in range(SEATS)]
    game.push("concede")
    for seat in declaring:
        assert (observe(game.state, seat) == before[seat]).all()
    assert said(game.state, partner)["phase"] == "answer"
    assert said(game.state, proposer)["proposals"] == "mine trick 1"
    game.push("refuse")
    for seat in declaring:
        assert (observe(game.state, seat) == before[seat]).all()
    assert said(game.state, partner)["proposals"] == "partner's trick 1"
    # It is remembered to the end of the deal, whatever the declaring team sees.
    say(game, "4O 1O")
    assert said(game.state, partner)["proposals"] == "partner's trick 1"
    assert "proposals" not in said(game.state, 0)


def test_the_critics_state_holds_all_but_the_random_word() -> None:
    game = walked("full", 3, 25)
    before = critic(game.state, 2)
    hands = before[HIDDEN_TABLE["hands"]].reshape(SEATS - 1, CARDS)
    for other in range(1, SEATS):
        mask = int(game.state.hands[(2 + other) % SEATS])
        assert list(np.flatnonzero(hands[other - 1])) == [c for c in range(CARDS) if mask >> c & 1]
    game.state.key += np.uint64(12345)
    game.state.drawn += np.uint64(7)
    assert (critic(game.state, 2) == before).all()


def test_the_critics_state_sees_the_hidden_decisions() -> None:
    game = table("pass pass pass 90 trump B 3O 11O", rules="full")
    game.push("concede")
    vector = critic(game.state, 0)
    assert vector[HIDDEN_TABLE["true_phase"]].argmax() == Phase.ANSWER
    assert vector[HIDDEN_TABLE["true_turn"]].argmax() == 1
    assert vector[HIDDEN_TABLE["true_proposed"]] == 1
    mask = np.zeros(72, np.int8)
    engine.legal(game.state, mask)
    assert mask.sum() == 2
