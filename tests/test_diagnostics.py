"""What a match tells of an agent's play, and what silence costs."""

import numpy as np
import pytest

from touti_env import agent, arena
from touti_env.agent import BatchAgent, act_many
from touti_env.core.rules import VARIANTS
from touti_env.core.state import Phase
from touti_env.diagnostics import Muted, muting, summary
from touti_env.game import Game
from touti_env.notation import legal_actions, name, parse
from touti_env.results import CONTRACTS, LEAVINGS, SIGNALS, Tally
from touti_env.vector import VectorEnv


class Says:
    """Plays like another agent, but says one word whenever it may."""

    name = "says"

    def __init__(self, word):
        self.word, self.other = word, agent.load("heuristic")

    def act(self, view, rng=None):
        words = [name(action, view.phase) for action in legal_actions(view)]
        spoken = view.phase in (Phase.AUCTION, Phase.SIGNAL) and self.word in words
        return parse(self.word, view.phase) if spoken else self.other.act(view, rng)


def muted_word(word, *history):
    """What an agent that says `word` says when it is muted, after the words of a history."""
    game = Game(seed=7, dealer=0)
    for said in history:
        game.push(said)
    action = Muted(Says(word)).act(game.view(game.seat))
    return name(action, game.phase)


@pytest.mark.parametrize("word", ["AS", "COMPTE", "+10", "stop", "silent"])
def test_a_muted_player_signals_nothing(word):
    """After 70 by seat 1, seats 2 and 3 leave, so seat 2 may signal to seat 0 (§4.1)."""
    assert muted_word(word, "70", "pass", "pass") == "silent"


@pytest.mark.parametrize("word", ["AS", "COMPTE", "pass"])
def test_a_muted_player_leaves_without_a_word(word):
    assert muted_word(word) == muted_word(word, "70") == "pass"


def test_a_muted_player_bids_as_before():
    assert muted_word("90", "70") == "90"


@pytest.mark.parametrize("variant", VARIANTS)
def test_everything_else_is_the_agents_own(variant):
    """Over 5,000 positions, and always legal; the agent's own answers are left as they are."""
    player, rng = agent.load("heuristic"), np.random.default_rng(1)
    env = VectorEnv(100, variant)
    env.reset(seed=2)
    changed = set()
    for _ in range(50):
        views, words = env.views(), rng.integers(2**64, size=100, dtype=np.uint64)
        own, muted = act_many(player, views, words), Muted(player).act_many(views, words)
        assert env.batch.action_mask[np.arange(100), muted].all()
        for view, before, after in zip(views, own, muted, strict=True):
            if before != after:
                changed.add((name(before, view["phase"]), name(after, view["phase"])))
        env.step(env.sample())
    announcements = {("AS", "pass"), ("COMPTE", "pass")}
    signals = {(word, "silent") for word in SIGNALS[:-1]}
    if variant == "plain":
        assert changed == set()
    else:
        assert announcements < changed <= announcements | signals


class Deaf(BatchAgent):
    """The heuristic, told of nothing that was said."""

    name = "deaf"

    def act_many(self, views, words):
        views = views.copy()
        views["announced"] = 0
        views["signals"] = 0
        return agent.load("heuristic").act_many(views, words)


def test_muting_costs_nothing_where_nobody_listens_or_nothing_may_be_said():
    assert set(muting(Deaf(), 100).values) == {0.0}
    assert set(muting(agent.load("heuristic"), 100, rules="plain").values) == {0.0}


def test_muting_is_measured_on_the_same_deals():
    player = agent.load("heuristic")
    match = muting(player, 60, seed=3)
    assert match.values == arena.duplicate(player, Muted(player), 60, 3).values
    assert any(match.values)
    speaking, muted = match.agents
    assert sum(speaking.left[1:]) > 0
    assert sum(muted.left[1:]) == sum(muted.signals[:-1]) == 0


def a_tally(declared, made, left, signals):
    counts = [[counts.get(key, 0) for key in CONTRACTS] for counts in (declared, made)]
    counts += [[left.get(key, 0) for key in LEAVINGS], [signals.get(key, 0) for key in SIGNALS]]
    return Tally("a", *map(tuple, counts), 0, 0, 0.0)


def test_a_summary_by_hand():
    tally = a_tally({70: 6, 100: 2}, {70: 3}, {"pass": 3, "AS": 1}, {"+10": 1, "silent": 3})
    numbers = summary(tally)
    assert {key: value for key, value in numbers.items() if value} == {
        "made": 3 / 8,
        "contracts/70": 6 / 8,
        "contracts/100": 2 / 8,
        "made/70": 3 / 6,
        "left/pass": 3 / 4,
        "left/AS": 1 / 4,
        "signals/+10": 1 / 4,
        "signals/silent": 3 / 4,
    }
    assert numbers["made/100"] == numbers["contracts/110"] == numbers["signals/stop"] == 0
    assert "made/110" not in numbers


def test_a_summary_of_nothing_is_empty():
    assert summary(a_tally({}, {}, {}, {})) == {}
