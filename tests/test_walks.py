"""What holds at every decision of every deal, under every variant: random walks."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compare import PHASE_NAMES
from tests.history import dealt, held, replay, walk
from tests.tables import content
from touti_env import Game, IllegalAction, resample, view
from touti_env.core import engine
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.cards import DECK
from touti_env.core.rules import VARIANTS
from touti_env.core.state import STATE, Phase
from touti_env.notation import legal_actions

variants = st.sampled_from(list(VARIANTS))
seeds = st.integers(0, 2**40)


def walks(examples):
    """A test of deals under every variant, the same at every run."""

    def decorate(test):
        return settings(max_examples=examples)(given(variants, seeds)(test))

    return decorate


@walks(60)
def test_cards_and_points_are_conserved(variant, seed):
    """§1.6, §1.7, §6.7, §9.1."""
    for game, _ in walk(variant, seed):
        state = game.state
        played = [int(card) for card in state.plays[: state.played]]
        on_table = [1 << card for card in played[len(played) - len(played) % 4 :]]
        hands = [int(hand) for hand in state.hands]
        assert sum(hands) + sum(1 << card for card in played) == DECK
        assert sum(int(hand) for hand in state.dealt) == DECK
        assert all(hand & ~int(mask) == 0 for hand, mask in zip(hands, state.dealt, strict=True))
        sizes = [hand.bit_count() for hand in hands]
        assert sum(sizes) == 40 - len(played)
        assert max(sizes) - min(sizes) <= 1
        assert state.tricks.sum() == (10 if state.conceded else len(played) // 4)
        assert len(on_table) < 4
    if state.contract:
        declaring = state.declarer % 2
        assert state.points.sum() == 120
        last = declaring if state.conceded else state.winner % 2
        bonus = 10 if last == declaring else 0
        assert state.total == state.points[declaring] + state.ghna_points + bonus <= 230  # §9.5
        assert state.score.tolist() == [
            state.contract if state.scored == team else 0 for team in (0, 1)
        ]


@walks(60)
def test_somebody_has_something_to_do(variant, seed):
    """The mask holds 0 and 1 alone, and 1 somewhere until the deal is over."""
    mask = np.full(NUM_ACTIONS, 7, np.int8)
    for game, _ in walk(variant, seed):
        engine.legal(game.state, mask)
        assert set(np.unique(mask)) <= {0, 1}
        assert mask.any() != game.deal_over
        assert game.legal_actions() == np.flatnonzero(mask).tolist()
        assert (game.seat in range(4)) != game.deal_over


@walks(60)
def test_two_conditions_never_bite(variant, seed):
    """§4.1, §4.4."""
    for game, _ in walk(variant, seed):
        if game.phase == Phase.SIGNAL:
            state, partner = game.state, game.seat
            player = partner ^ 2
            level = (state.contract - 70) // 10 + 1
            assert state.left_at[partner] >= 0 > state.left_at[player]
            assert state.left_at[state.declarer] < 0
            assert state.declarer in ((player + 1) % 4, (player + 3) % 4)
            assert state.signals[partner, level] == 0


@walks(40)
def test_the_mask_is_what_is_accepted(variant, seed):
    """Every id pushed on a clone; a refused one changes nothing."""
    chance = random.Random(seed)
    for game, _ in walk(variant, seed):
        if chance.random() < 0.15 or game.phase in (Phase.GHNA, Phase.ANSWER, Phase.OVER):
            legal = game.legal_actions()
            before = content(game.state)
            twin = game.clone()
            for action in range(-1, NUM_ACTIONS + 1):
                if action in legal:
                    twin.push(action)
                    assert content(twin.state) != before
                    twin.pop()
                else:
                    with pytest.raises(IllegalAction):
                        twin.push(action)
                assert content(twin.state) == before
            assert content(game.state) == before


@walks(60)
def test_pop_undoes_push(variant, seed):
    pasts = []
    for game, history in walk(variant, seed):
        pasts.append(content(game.state))
        said = history
    while said:
        assert content(game.state) == pasts.pop()
        assert game.pop() == said.pop().word
    assert content(game.state) == pasts.pop()
    assert content(game.state) == content(Game(variant, seed=seed).state)


@walks(40)
def test_a_state_is_its_bytes(variant, seed):
    for game, _ in walk(variant, seed):
        array = game._states
        assert content(np.frombuffer(array.tobytes(), STATE)[0]) == content(game.state)
    assert content(pickle.loads(pickle.dumps(array))[0]) == content(game.state)
    assert content(array.copy()[0]) == content(game.state)
    assert array[0] == game.state


ROLLED = ("dealt", "hands", "bids", "left_at", "announced", "signals", "ceiling", "proposals")
SEAT_FIELDS = ("dealer", "seat", "declarer", "leaders", "winner", "ghna_by")
TEAM_FIELDS = ("score", "points", "tricks")


def seats_moved(state, places):
    """The same state with every seat `places` further on."""
    moved = np.array([state], STATE)[0]
    for name in ROLLED:
        moved[name] = np.roll(state[name], places, axis=0)
    for name in SEAT_FIELDS:
        moved[name] = np.where(state[name] < 0, state[name], (state[name] + places) % 4)
    for name in TEAM_FIELDS:
        moved[name] = np.roll(state[name], places)
    if state.scored >= 0:
        moved.scored = (state.scored + places) % 2
    return moved


@walks(40)
def test_no_seat_is_special(variant, seed):
    """§1.1: move everybody on and nothing else changes."""
    places = 1 + seed % 3
    start = Game(variant, seed=seed)
    twin = Game(
        variant,
        seed=seed,
        hands=[start.hand((seat - places) % 4) for seat in range(4)],
        dealer=(int(start.state.dealer) + places) % 4,
    )
    for game, history in walk(variant, seed):
        if history:
            twin.push(history[-1].word)
        assert content(seats_moved(game.state, places)) == content(twin.state)
        assert game.legal_words() == twin.legal_words()


def suits_renamed(state, new):
    """The same state with suit i called new[i]."""
    renamed = np.array([state], STATE)[0]
    cards = np.array([new[card // 10] * 10 + card % 10 for card in range(40)] + [-1], np.int8)
    for name in ("dealt", "hands"):
        for seat in range(4):
            held = [int(cards[card]) for card in range(40) if int(state[name][seat]) >> card & 1]
            renamed[name][seat] = sum(1 << card for card in held)
    for name in ("plays", "top"):
        renamed[name] = cards[state[name]]
    if state.trump >= 0:
        renamed.trump = new[state.trump]
    for suit in range(4):
        renamed.ceiling[:, new[suit]] = state.ceiling[:, suit]
        renamed.ghna_by[new[suit]] = state.ghna_by[suit]
        renamed.ghna_trick[new[suit]] = state.ghna_trick[suit]
    return renamed


def in_new_suits(word, new):
    """`12C` or `trump C` in the new suits; other words are as they were."""
    if (word[0].isdigit() and not word.isdigit()) or word.startswith(("trump", "ghna")):
        return word[:-1] + "OCEB"[new["OCEB".index(word[-1])]]
    return word


@walks(40)
def test_no_suit_is_special(variant, seed):
    """§1.3: call the suits by other names and nothing else changes."""
    new = random.Random(seed).sample(range(4), 4)
    start = Game(variant, seed=seed)
    hands = [[in_new_suits(card, new) for card in start.hand(seat)] for seat in range(4)]
    twin = Game(variant, seed=seed, hands=hands, dealer=int(start.state.dealer))
    for game, history in walk(variant, seed):
        if history:
            twin.push(in_new_suits(history[-1].word, new))
        assert content(suits_renamed(game.state, new)) == content(twin.state)
        renamed = {in_new_suits(word, new) for word in game.legal_words()}
        assert renamed == set(twin.legal_words())


@walks(100)
def test_resampled_hands_fit_what_was_seen(variant, seed):
    """§10: the view is the same, and the whole public history is legal from the drawn hands."""
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    for game, history in walk(variant, seed):
        if chance.random() > 0.1 or game.deal_over:
            continue
        for viewer in range(4):
            seen = view(game.state, viewer)
            drawn = resample(seen, rng)
            assert drawn.viewer == -1
            assert content(view(drawn, viewer)) == content(seen)
            deal = replay(dealt(drawn), int(drawn.dealer), game.rules, history)
            assert deal is not None
            assert deal.hands == held(drawn)
            assert deal.points == drawn.points.tolist()
            assert deal.ghna_points == drawn.ghna_points
            if viewer == game.seat:
                assert legal_actions(drawn) == game.legal_actions()
                if game.phase == Phase.GHNA:
                    while deal.seat != viewer:
                        deal.push("no ghna")
                    assert deal.phase == PHASE_NAMES[game.phase]


@walks(40)
def test_a_resampled_deal_can_be_played_on(variant, seed):
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    mask = np.empty(NUM_ACTIONS, np.int8)
    for game, _ in walk(variant, seed):
        if chance.random() < 0.1 and not game.deal_over:
            drawn = resample(view(game.state, chance.randrange(4)), rng)
            while not engine.is_over(drawn):
                engine.legal(drawn, mask)
                engine.apply(drawn, chance.choice(np.flatnonzero(mask)))
            assert drawn.contract == 0 or drawn.points.sum() == 120
