"""`pimc`: legal, blind to hidden cards, reproducible, and right where the right card is plain."""

import pickle

import numpy as np
import pytest

from tests.tables import ending, filled, say, table
from touti_env import agent, arena, solver
from touti_env.baselines.pimc import load
from touti_env.baselines.pimc.worlds import OTHER_CARD, SHARPNESS, credible, draw, plausible, said
from touti_env.core import batch
from touti_env.core.actions import PASS
from touti_env.core.rules import VARIANTS
from touti_env.core.state import OVER, PLAY, STATE, new_states
from touti_env.game import Game
from touti_env.notation import CARD_NAMES
from touti_env.view import resample, view

FEW = 4  # worlds: enough to go through all the code


def card(name):
    return CARD_NAMES.index(name)


def views_of(player, variant="full", games=2, seed=3):
    """The views, words and full states of all decisions in deals played by `player`."""
    states = new_states(games)
    states["rules"] = VARIANTS[variant].record()
    batch.seed_streams(states, seed)
    batch.new_matches(states)
    chance = np.random.default_rng(seed)
    while states.size:
        seen = np.array([view(state, int(state.seat)) for state in states], STATE)
        words = chance.integers(2**64, size=states.size, dtype=np.uint64)
        actions = player.act_many(seen, words)
        yield seen, words, actions, states.copy()
        batch.apply(states, actions)
        states = states[states["phase"] != OVER]


@pytest.fixture(scope="module")
def rounds():
    return list(views_of(load(worlds=FEW)))


def chosen(game, player=None):
    """The word of the seat to act."""
    player = player or load(worlds=10)
    action = player.act(game.view(game.seat), np.random.default_rng(1))
    game.push(action)
    return game.pop()


def test_every_action_is_legal(rounds):
    for _, _, actions, states in rounds:
        masks = np.zeros((states.size, 72), np.int8)
        batch.legal(states, masks)
        assert masks[np.arange(states.size), actions].all()


def test_the_same_word_gives_the_same_action_alone_or_among_others(rounds):
    player = load(worlds=FEW, threads=3)
    for seen, words, actions, _ in rounds[::3]:
        assert player.act_many(seen, words).tolist() == actions.tolist()
        assert player.act_many(seen[-1:], words[-1:])[0] == actions[-1]


def test_threads_change_nothing(rounds):
    seen = np.concatenate([seen for seen, *_ in rounds])
    words = np.concatenate([words for _, words, *_ in rounds])
    actions = np.concatenate([actions for _, _, actions, _ in rounds])
    assert load(worlds=FEW, threads=2).act_many(seen, words).tolist() == actions.tolist()


def test_hidden_cards_make_no_difference(rounds):
    player, chance = load(worlds=FEW), np.random.default_rng(8)
    for seen, words, actions, states in rounds[::4]:
        other = resample(view(states[0], int(states[0].seat)), chance)
        blank = np.array([view(other, int(seen[0].viewer))], STATE)
        assert player.act_many(blank, words[:1])[0] == actions[0]


def test_calls_and_trump_are_the_bidders(rounds):
    bidder = agent.load("heuristic")
    for seen, words, actions, _ in rounds:
        early = seen["phase"] < PLAY
        if early.any():
            assert bidder.act_many(seen[early], words[early]).tolist() == actions[early].tolist()


@pytest.mark.parametrize("judge", ["solver", "playout", "both"])
def test_the_winning_lead_is_found(judge):
    # Fifteen are missing: the ace of espadas must take the last trick, whoever has what.
    hands = ["1E 12O", "1O 2E", "2B 4B", "5B 6B"]
    game = ending(hands, trump="C", contract=100, declarer=0, leader=0, taken=85)
    assert chosen(game, load(worlds=10, judge=judge)) == "12O"


def test_a_defender_throws_points_to_its_partner():
    # Seat 0 declared and needs all the points in hand; seat 3's ace holds this trick.
    hands = ["4O", "3B 2B", "5O 6O", "7O"]
    game = ending(hands, "1E 4E", trump="C", contract=100, declarer=0, leader=3, taken=84)
    assert game.seat == 1 and chosen(game) == "3B"


def test_a_ghna_is_declared_where_it_is_needed_and_the_cap_bears_it():
    hands = filled(["12O 11O 12C 11C 1B", "", "", ""], keep="")
    game = ending(hands, trump="C", contract=90, declarer=0, leader=0, taken=50)
    game.push("1B")
    while game.phase.name == "PLAY":
        game.push(game.legal_actions()[0])
    assert game.phase.name == "GHNA"
    assert chosen(game) == "ghna C"


def test_a_small_ghna_does_not_block_the_great_one():
    # 40 may be declared in all, at 90: the 20 would leave no room for the 40 that makes it.
    hands = filled(["12O 11O 12C 11C 1B", "", "", ""], keep="")
    game = ending(hands, trump="C", contract=90, declarer=0, leader=0, taken=30)
    game.push("1B")
    while game.phase.name == "PLAY":
        game.push(game.legal_actions()[0])
    totals = solver.values(game.state)
    assert totals[game.legal_actions()[0]] is not None
    assert chosen(game) == "ghna C"


def test_giving_up_only_what_is_lost_for_certain():
    hands = ["1E 12O", "1O 2E", "2B 4B", "5B 6B"]
    lost = ending(hands, trump="C", contract=100, declarer=0, leader=1, taken=100, rules="full")
    assert chosen(lost) == "concede"
    open_yet = ending(hands, trump="C", contract=100, declarer=0, leader=1, taken=85, rules="full")
    assert chosen(open_yet) != "concede"
    open_yet.push("concede")
    assert chosen(open_yet) == "refuse"


def test_worlds_fit_the_view_and_the_calls():
    bidder = agent.load("heuristic")
    for seen, words, _, _ in views_of(bidder, "standard", 3, seed=11):
        for i in np.flatnonzero(seen["phase"] == PLAY)[:1]:
            states = draw(seen[i], int(words[i]), 20, bidder)
            assert len(states) == 20 and (states["viewer"] == -1).all()
            for state in states:
                again = view(state, int(seen[i].viewer))
                assert np.array_equal(again.plays, seen[i].plays)
                assert again.hands[again.viewer] == seen[i].hands[again.viewer]
            weights = plausible(seen[i], states, bidder)
            assert ((weights > 0) & (weights <= 1)).all()


def test_the_true_deal_explains_the_bidders_own_calls():
    bidder = agent.load("heuristic")
    explained = 0
    for seen, _, _, states in views_of(bidder, "full", 10, seed=12):
        for i in range(len(seen)):
            if seen[i]["phase"] >= PLAY:
                assert plausible(seen[i], states[i : i + 1], bidder)[0] == 1.0
                explained += int(seen[i]["played"]) > 20
    assert explained > 50


def test_a_deal_loses_weight_by_what_the_bidder_would_have_done_otherwise():
    bidder = agent.load("heuristic")
    game = say(table(), "100 pass pass silent pass trump B")
    viewer = game.seat ^ 2
    before = plausible(game.view(viewer), game._states, bidder)[0]
    best = bidder.act(game.view(game.seat))
    game.push(next(card for card in game.legal_actions() if card != best))
    assert plausible(game.view(viewer), game._states, bidder)[0] == OTHER_CARD * before


def test_the_auction_is_read_back_from_the_state():
    game = table("70 AS COMPTE +10 80 silent pass trump E")
    calls, replay = [], game.clone()
    while replay._moves:
        replay.pop()
    while replay.state.phase < PLAY:
        call = said(game.state, replay.state)
        calls.append(replay.push(call) or replay._moves[-1])
    assert calls == game._moves
    assert PASS in calls


def test_milliseconds_are_kept_to():
    player = load(ms=20)
    game = say(table(), "70 pass pass silent pass trump O")
    assert chosen(game, player) in game.legal_words()
    assert player.name == "pimc?ms=20"


def test_names_and_options():
    assert load().name == "pimc?worlds=20"
    assert load(worlds=7, bidder="sane").name == "pimc?worlds=7&bidder=sane"
    assert agent.load("pimc?worlds=3&bidder=sane").bidder.name == "sane"
    for spec in (
        "pimc?worlds=0",
        "pimc?threads=0",
        "pimc?ms=-1",
        "pimc?bidder=nobody",
        "pimc?judge=x",
    ):
        with pytest.raises(ValueError):
            agent.load(spec)


def test_a_pickled_copy_decides_alike(rounds):
    player = load(worlds=FEW, threads=2)
    seen, words, actions, _ = rounds[-1]
    player.act_many(seen, words)
    copy = pickle.loads(pickle.dumps(player))
    assert copy.act_many(seen, words).tolist() == actions.tolist()


def test_it_beats_its_bidder():
    pimc, heuristic = load(worlds=6), agent.load("heuristic")
    assert arena.duplicate(pimc, heuristic, deals=40, seed=2).mean > 5


def test_before_the_first_searched_trick_the_cards_are_the_bidders():
    bidder, player = agent.load("sane"), load(worlds=FEW, bidder="sane", since=4)
    whole = load(worlds=FEW, bidder="sane")
    for seen, words, actions, _ in views_of(player, "standard", 3):
        early = seen["played"] < 12
        for part, like in ((early, bidder), (~early, whole)):
            if part.any():
                assert like.act_many(seen[part], words[part]).tolist() == actions[part].tolist()


@pytest.mark.parametrize("since", [0, 11])
def test_a_trick_that_is_none_is_refused(since):
    with pytest.raises(ValueError, match=f"since is {since}; a trick from 1 to 10 is valid"):
        agent.load(f"pimc?since={since}")


class Believer:
    """`heuristic`, sure that its partner has 1C, and fairly sure that the next seat has 12C."""

    name = "believer"

    def __init__(self):
        self.asked = agent.load("heuristic")

    def act(self, view, rng=None):
        return self.asked.act(view, rng)

    def belief(self, view):
        likely = np.full((4, 40), 1 / 3)
        likely[:, card("1C")] = 0.0
        likely[view.viewer ^ 2, card("1C")] = 1.0
        likely[:, card("12C")] = 0.1
        likely[(view.viewer + 1) % 4, card("12C")] = 0.8
        likely[view.viewer] = 0.0
        return likely


def leading():
    """Seat 0 is to lead to the first trick, with neither of the two cards."""
    for seed in range(100):
        game = say(Game("plain", seed=seed, dealer=3), "70 pass pass pass O")
        if not game.state.hands[0] & (1 << card("1C") | 1 << card("12C")):
            return game.view(0)
    raise AssertionError


def test_worlds_are_drawn_by_what_the_bidder_believes():
    view = leading()
    worlds = draw(view, 5, 400, Believer())
    assert len(worlds) == 400
    assert (worlds["hands"][:, 2] >> card("1C") & 1).all()
    share = (worlds["hands"][:, 1] >> card("12C") & 1).mean()
    # Of 400 from 6,400: a little more even than the weights themselves would have it.
    odds = 8**SHARPNESS
    assert share == pytest.approx(odds / (odds + 2), abs=0.06)


def test_the_weight_of_a_world_is_the_product_of_its_cards():
    view = leading()
    worlds, likely = draw(view, 5, 50, None), np.random.default_rng(2).random((4, 40)) + 0.1
    products = [
        np.prod([likely[s, c] for s in range(1, 4) for c in range(40) if world.hands[s] >> c & 1])
        for world in worlds
    ]
    expected = (products / max(products)) ** SHARPNESS
    assert credible(view, worlds, likely) == pytest.approx(np.maximum(expected, 1e-6), rel=1e-6)
