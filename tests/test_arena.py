import json
import math

import numpy as np
import pytest

from touti_env import arena
from touti_env.agent import BatchAgent, load
from touti_env.core import batch, deal, engine
from touti_env.core.actions import PASS
from touti_env.core.rules import VARIANTS, as_rules
from touti_env.core.state import OVER, Phase, new_states
from touti_env.game import Game
from touti_env.notation import IllegalAction, legal_actions
from touti_env.results import (
    CONTRACTS,
    LEAVINGS,
    SIGNALS,
    CrossPlay,
    Match,
    Tally,
    mean_and_error,
    t_quantile,
)
from touti_env.view import view

DEALS = 12


class First:
    """The legal action of the lowest id: the auction goes up to 230."""

    name = "first"

    def act(self, view, rng=None):
        return legal_actions(view)[0]


class Last:
    """The legal action of the highest id: announces, never bids."""

    name = "last"

    def act(self, view, rng=None):
        return legal_actions(view)[-1]


class Chance:
    """Any legal action; leaves the auction half of the time."""

    name = "chance"

    def act(self, view, rng=None):
        legal = legal_actions(view)
        if PASS in legal and rng.random() < 0.5:
            return PASS
        return int(rng.choice(legal))


class ChanceMany(BatchAgent):
    """Any legal action, by its random word, asked for many at once."""

    name = "chance, many"

    def act_many(self, views, words):
        self.largest = max(len(views), getattr(self, "largest", 0))
        choices = [legal_actions(view) for view in views]
        return np.array([c[int(w % np.uint64(len(c)))] for c, w in zip(choices, words)])  # noqa: B905


class Illegal(BatchAgent):
    """Never legal: a bid in the play, and ids that do not exist."""

    name = "illegal"

    def act_many(self, views, words):
        return np.where(views["phase"] == Phase.PLAY, 40, np.where(words % 2, -1, 10**6))


def test_a_policy_against_itself_scores_exactly_zero():
    for agent in (First(), Chance(), ChanceMany()):
        match = arena.duplicate(agent, agent, DEALS)
        assert set(match.values) == {0.0}
        assert (match.mean, match.standard_error, match.interval) == (0.0, 0.0, (0.0, 0.0))


@pytest.mark.parametrize("name", ["heuristic", "sane", "uniform"])
def test_a_baseline_against_itself_scores_exactly_zero(name):
    match = arena.duplicate(load(name), load(name), 40, batch=25)
    assert set(match.values) == {0.0}
    assert match == arena.duplicate(load(name), load(name), 40, batch=40)


def test_twins_of_a_stochastic_policy_score_exactly_zero():
    assert set(arena.duplicate(Chance(), Chance(), DEALS).values) == {0.0}


def test_exchanging_the_agents_negates_every_value():
    there = arena.duplicate(Chance(), First(), DEALS, seed=3)
    back = arena.duplicate(First(), Chance(), DEALS, seed=3)
    assert any(there.values)
    assert back.values == tuple(-value for value in there.values)
    assert back.agents == there.agents[::-1]


def test_the_batch_size_changes_nothing():
    matches = [arena.duplicate(Chance(), First(), DEALS, batch=n) for n in (1, 5, DEALS, 512)]
    assert matches[1:] == matches[:-1]


def test_more_deals_begin_with_the_same_ones():
    few, many = (arena.duplicate(Chance(), First(), n) for n in (4, DEALS))
    assert many.values[:4] == few.values


def test_seeds_deal_differently_and_rules_reach_the_table():
    matches = [
        arena.duplicate(Chance(), First(), DEALS, seed, rules)
        for seed, rules in ((0, "standard"), (1, "standard"), (0, "plain"))
    ]
    assert len({match.values for match in matches}) == 3
    assert matches[2].rules == VARIANTS["plain"]


def play_slowly(agents, seed, index, table):
    """A deal through the public pieces: the score of agent 0's team minus the other's."""
    states = new_states(1)
    states["rules"] = VARIANTS["standard"].record()
    key = arena.evaluation_key(seed, index)
    deal.seed_stream(states[0], key)
    engine.new_match(states[0])
    state, count = states[0], 0
    while state.phase != OVER:
        legal = legal_actions(state)
        agent = agents[(state.seat + table) % 2]
        word = deal.word_at(np.uint64(deal.mix(key ^ arena.CHANCE)), count)
        seen = view(state, int(state.seat))
        action = legal[0] if len(legal) == 1 else agent.act(seen, np.random.default_rng(word))
        batch.apply_at(states, 0, action)
        count += 1
    return int(state.score[table]) - int(state.score[1 - table])


def test_the_value_is_the_mean_of_two_tables_with_the_seats_exchanged():
    agents = (Chance(), First())
    expected = [
        (play_slowly(agents, 5, index, 0) + play_slowly(agents, 5, index, 1)) / 2
        for index in range(6)
    ]
    assert arena.duplicate(*agents, 6, seed=5).values == tuple(expected)


def test_an_agent_sees_its_own_seat_alone():
    seats = set()

    class Watch:
        name = "watch"

        def act(self, view, rng=None):
            assert view.viewer == view.seat
            assert view.key == view.drawn == 0
            for seat in range(4):
                assert (view.hands[seat] == 0) == (view.dealt[seat] == 0) == (seat != view.seat)
            seats.add(int(view.seat))
            return legal_actions(view)[int(rng.integers(len(legal_actions(view))))]

    arena.duplicate(Watch(), First(), 4, rules="full")
    assert seats == {0, 1, 2, 3}


def test_chance_tells_nothing_of_the_deal():
    key = arena.evaluation_key(0, 0)
    words = {int(deal.word_at(key, n)) for n in range(100)}
    _, shown = arena._show(
        new_states(1), np.array([key]), np.zeros(1, np.int64), np.zeros(1, np.int64)
    )
    assert int(shown[0]) not in words


def test_evaluation_deals_lie_beyond_every_users_seed():
    keys = {int(arena.evaluation_key(seed, index)) for seed in (0, 1, 7) for index in range(50)}
    trained = {int(deal.game_key(seed, index)) for seed in (0, 1, 7) for index in range(50)}
    assert len(keys) == 150
    assert not keys & trained
    assert arena.evaluation_key(deal.MAX_SEED, 0) == deal.game_key(np.uint64(2**64 - 1), 0)


def test_illegal_actions_are_counted_and_replaced_by_the_lowest():
    match = arena.duplicate(Illegal(), First(), DEALS)
    assert match.agents[0].illegal == match.agents[0].decisions > 0
    assert match.agents[1].illegal == 0
    assert set(match.values) == {0.0}
    assert f"illegal: {match.agents[0].illegal:,} illegal actions, each" in match.table()
    assert "each replaced" not in arena.duplicate(Last(), First(), 2).table()


def test_a_wrong_number_of_answers_is_refused():
    class Short(BatchAgent):
        name = "short"

        def act_many(self, views, words):
            return np.zeros(len(views) + 1, np.int64)

    with pytest.raises(ValueError, match=r"agent 'short': \d+ views answered .* \(\d+,\)"):
        arena.duplicate(Short(), First(), 2)


@pytest.mark.parametrize("answer", [None, "80", 41.0, True, [41]], ids=repr)
@pytest.mark.parametrize("many", [False, True])
def test_an_answer_that_is_no_integer_names_agent_and_seat(answer, many):
    class Odd(First):
        name = "odd"

        def act(self, view, rng=None):
            return answer

    class OddMany(BatchAgent):
        name = "odd"

        def act_many(self, views, words):
            return [answer] * len(views)

    if answer is True and not many:
        return  # Python's own bool is an int
    with pytest.raises(IllegalAction, match=r"agent 'odd': .*(seat \d answered|views answered)"):
        arena.duplicate(OddMany() if many else Odd(), First(), 2)


def test_the_clock_is_started_when_the_agent_is_warm(monkeypatch):
    """What a first decision takes longer, in the auction or in any trick, is not counted."""
    clock = [0.0]
    monkeypatch.setattr(arena.time, "process_time", lambda: clock[0])

    class Slow(First):
        def __init__(self):
            self.met = set()

        def act(self, view, rng=None):
            place = view.phase, int(view.played) // 4
            clock[0] += 0.001 if place in self.met else 1000
            self.met.add(place)
            return super().act(view, rng)

    match = arena.duplicate(Slow(), Slow(), DEALS)
    assert match == arena.duplicate(First(), First(), DEALS)
    for tally in match.agents:
        assert tally.seconds == pytest.approx(tally.decisions / 1000)


@pytest.mark.parametrize("since", [1, 4, 7])
def test_a_search_is_warm_too(monkeypatch, since):
    """It searches before the clock is started, from whichever trick on it does."""

    def search(views, words):
        raise InterruptedError

    player = load(f"pimc?worlds=1&since={since}")
    monkeypatch.setattr(player, "_search", search)
    warming = arena._Player(player)
    with pytest.raises(InterruptedError):
        warming.warm_up(arena._keys(0, 0, arena.WARM_UP), as_rules("standard"))


def test_contracts_add_up():
    match = arena.duplicate(Chance(), Last(), 40, seed=2)
    declared = sum(sum(tally.declared) for tally in match.agents)
    assert declared + match.cancelled == 2 * 40
    assert 0 < match.cancelled < 80
    won = 0
    for tally, sign in zip(match.agents, (1, -1), strict=True):
        for contract, declared, made in zip(CONTRACTS, tally.declared, tally.made, strict=True):
            assert 0 <= made <= declared
            won += sign * contract * (2 * made - declared)
    assert match.mean == won / 2 / 40
    assert sum(match.agents[1].declared) == 0


def test_words_add_up():
    """At each table a deal is passed out by four, or three leave and one declares."""
    for rules in ("standard", "plain"):
        match = arena.duplicate(Chance(), First(), 40, seed=2, rules=rules)
        chance, first = match.agents
        declared = sum(sum(tally.declared) for tally in match.agents)
        assert sum(chance.left) + sum(first.left) == 4 * 2 * 40 - declared
        assert sum(first.left[1:]) == 0, "it takes the lowest id: pass"
        assert first.signals[1:] == (0, 0, 0, 0), "it takes the lowest id: AS"
        assert (min(chance.signals) > 0) == (first.signals[0] > 0) == (rules == "standard")
        assert ("signals due" in match.table()) == (rules == "standard")


def test_words_are_counted_where_they_were_said():
    """Seat 1 bids, seats 2 and 3 leave and signal, each before its partner's turn."""
    game = Game(seed=7, dealer=0)
    for word in ("70", "pass", "AS", "+10", "80", "silent"):
        game.push(word)
    states = np.repeat(game.state, 2)
    tallies = [arena._Player(First()).tally(states, side) for side in (0, 1)]
    # Two tables with the seats exchanged: each agent has said all of it once.
    for tally in tallies:
        assert dict(zip(LEAVINGS, tally.left, strict=True)) == {"pass": 1, "AS": 1, "COMPTE": 0}
        assert [w for w, n in zip(SIGNALS, tally.signals, strict=True) if n] == ["+10", "silent"]
        assert sum(tally.signals) == 2


def test_a_match_taken_up_again_is_the_same_match():
    kept = []
    whole = arena.duplicate(Chance(), First(), DEALS, seed=3, batch=5, keep=kept.append)
    assert [match.deals for match in kept] == [5, 10, DEALS]
    for begun in kept:
        assert arena.duplicate(Chance(), First(), DEALS, seed=3, batch=5, begun=begun) == whole
    assert whole == arena.duplicate(Chance(), First(), DEALS, seed=3)


@pytest.mark.parametrize(
    ("agents", "deals", "seed", "rules"),
    [
        ((First(), Chance()), 4, 3, "standard"),
        ((Chance(), First()), 2, 3, "standard"),
        ((Chance(), First()), 4, 4, "standard"),
        ((Chance(), First()), 4, 3, "plain"),
    ],
)
def test_another_match_cannot_be_taken_up(agents, deals, seed, rules):
    begun = arena.duplicate(Chance(), First(), 3, seed=3)
    with pytest.raises(ValueError, match="begun is a match of chance and first, 3 deals of seed 3"):
        arena.duplicate(*agents, deals, seed, rules, begun=begun)


def test_a_match_turned_round():
    match = arena.duplicate(Chance(), First(), DEALS, seed=3)
    assert match.turned() == arena.duplicate(First(), Chance(), DEALS, seed=3)


def test_deals_without_a_bid_are_worth_nothing():
    match = arena.duplicate(Last(), Last(), DEALS)
    assert match.cancelled == 2 * DEALS
    assert match.mean == 0


def test_decisions_are_choices():
    match = arena.duplicate(Last(), Last(), DEALS)
    assert [tally.decisions for tally in match.agents] == [4 * DEALS, 4 * DEALS]
    assert all(tally.seconds > 0 for tally in match.agents)


def a_match(values, seed=0):
    none = (0,) * len(CONTRACTS)
    talk = (0,) * len(LEAVINGS), (0,) * len(SIGNALS)
    tallies = (Tally("a", none, none, *talk, 1, 0, 0.5), Tally("b", none, none, *talk, 0, 0, 0.0))
    return Match(tallies, VARIANTS["standard"], seed, tuple(values), 0)


def test_mean_error_and_interval_by_hand():
    # Deviations -15, -5, 5, 15: variance 500 / 3, error sqrt(500 / 3 / 4); t(3) is 3.1824.
    match = a_match([-5.0, 5.0, 15.0, 25.0])
    assert match.mean == 10
    assert match.standard_error == pytest.approx(6.454972)
    assert match.interval == pytest.approx((10 - 20.5426, 10 + 20.5426), abs=0.03)


def test_t_quantiles_are_those_of_the_tables():
    printed = {2: 4.3027, 3: 3.1824, 5: 2.5706, 10: 2.2281, 30: 2.0423, 100: 1.9840, 10**6: 1.9600}
    for freedom, quantile in printed.items():
        assert t_quantile(freedom) == pytest.approx(quantile, rel=1e-2 if freedom < 5 else 2e-4)


def test_the_interval_covers_the_truth_nineteen_times_in_twenty():
    chance = np.random.default_rng(1)
    covered = 0
    for values in chance.normal(20, 100, (2000, 8)):
        low, high = a_match(values).interval
        covered += low <= 20 <= high
    assert abs(covered / 2000 - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 2000)


def test_a_match_as_json():
    content = arena.duplicate(Chance(), First(), 4, seed=9).asdict()
    assert json.loads(json.dumps(content)) == content
    assert content["rules"]["name"] == "standard"
    assert (content["deals"], content["seed"]) == (4, 9)
    assert content["agents"][0]["declared"] == sum(
        row["declared"] for row in content["agents"][0]["contracts"]
    )


def test_cross_play_is_the_duplicate_match_of_every_pair():
    agents = [Chance(), First(), Last()]
    cross = arena.cross_play(agents, 8, seed=1)
    for i in range(3):
        for j in range(i + 1, 3):
            match = arena.duplicate(agents[i], agents[j], 8, seed=1)
            assert cross.match(i, j) == cross.match(j, i) == match
            assert cross.pair(i, j) == (match.mean, match.standard_error)
            assert cross.pair(j, i) == (-match.mean, match.standard_error)
    content = cross.asdict()
    assert json.loads(json.dumps(content)) == content
    assert sum(content["mean"]) == pytest.approx(0)


def test_the_error_of_a_mean_row_knows_that_deals_are_shared():
    same, opposite = [1.0, -1.0, 3.0], [-1.0, 1.0, -3.0]
    cross = CrossPlay(("a", "b", "c"), (a_match(same), a_match(opposite), a_match(same)))
    assert cross.mean(0) == (0.0, 0.0)
    assert cross.mean(1) == mean_and_error([0.0, 0.0, 0.0])
    assert cross.mean(2) == mean_and_error([0.0, 0.0, 0.0])


def test_tables_keep_to_their_width():
    agents = [Chance(), First(), Last(), Chance(), First(), Last()]
    agents[3].name = "a name that is far too long for any column of any table"
    cross = arena.cross_play(agents, 2)
    match = arena.duplicate(agents[3], agents[1], 2)
    assert max(map(len, cross.table().splitlines())) <= 100
    assert max(map(len, match.table().splitlines())) <= 88
    assert "points a deal" in match.table()


def test_progress_goes_from_none_to_all():
    heard = []
    arena.cross_play(
        [First(), Last(), Chance()], 4, batch=3, progress=lambda *now: heard.append(now)
    )
    done = [done for done, _ in heard]
    assert done == sorted(done)
    assert done[0] < 1
    assert heard[-1] == (12, 12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deals": 0}, "deals is 0; an integer of at least 2"),
        ({"deals": 1}, "deals is 1"),
        ({"deals": 2.5}, "deals is 2.5"),
        ({"batch": 0}, "batch is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"rules": "bridge"}, "'bridge' is unknown; valid are standard"),
    ],
)
def test_arguments_out_of_range(arguments, message):
    with pytest.raises(ValueError, match=message):
        arena.duplicate(First(), Last(), **arguments)


def test_cross_play_needs_two():
    with pytest.raises(ValueError, match="two agents or more"):
        arena.cross_play([First()])
