"""The double-dummy solver against plain play to the end, and its answers against one another."""

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests import brute
from tests.endings import random_ending
from tests.tables import HANDS, ending, say, table
from touti_env import Game, Rules, agent, resample, solver, view
from touti_env.core.actions import CONCEDE
from touti_env.core.state import ANSWER, GHNA, PLAY, copy_states
from touti_env.notation import name, parse
from touti_env.solver import answers
from touti_env.solver.position import new_workspace

ROOT = Path(__file__).resolve().parent.parent


def endings(size: int, number: int, rules: str | Rules = "standard", seed: int = 0):
    """Games that are not over yet, the same at every run."""
    for i in range(number):
        game = random_ending(random.Random(f"{seed} {size} {i}"), size, rules)
        if not game.deal_over:
            yield game


def in_play(seed: int, tricks: int, contract: int = 100) -> Game:
    """A deal that the club player has played for some tricks, after a bid of `contract`."""
    player, game = agent.load("heuristic"), Game(seed=seed)
    while game.state.played < 4 * tricks or game.state.phase not in (PLAY, GHNA):
        if game.phase < 2:
            legal = game.legal_words()
            bid = str(contract)
            game.push(bid if bid in legal else "pass" if "pass" in legal else "silent")
        else:
            game.push(player.act(game.view(game.seat)))
    return game


def declaring(game: Game) -> bool:
    return (game.seat ^ game.state.declarer) & 1 == 0


@pytest.mark.parametrize(
    ("size", "number", "rules"),
    [
        (1, 50, "standard"),
        (2, 1000, "full"),
        (3, 2000, "standard"),
        (3, 500, "full"),
        (4, 1200, "standard"),
        pytest.param(4, 10_000, "standard", marks=pytest.mark.slow),
        pytest.param(5, 400, "standard", marks=pytest.mark.slow),
    ],
)
def test_endings(size, number, rules):
    """Every action of every ending, as if everything had been tried."""
    seen = set()
    for game in endings(size, number, rules):
        state, total = game.state, brute.minimax(game.state)
        assert solver.points(state) == total
        assert solver.made(state) == (total >= state.contract)
        values = solver.values(state)
        assert list(values) == game.legal_actions()
        assert (max if declaring(game) else min)(values.values()) == total
        for action, value in values.items():
            game.push(action)
            assert brute.minimax(game.state) == value
            game.pop()
        seen |= {("phase", game.phase), ("table", state.played % 4), ("contract", state.contract)}
    if size in (3, 4):
        phases = {PLAY, GHNA, ANSWER} if rules == "full" else {PLAY, GHNA}
        assert {("phase", phase) for phase in phases} <= seen
        assert {("table", number) for number in range(4)} <= seen
        assert {("contract", contract) for contract in (70, 80, 90, 100, 140)} <= seen


@pytest.mark.parametrize(
    "rules",
    [
        Rules(last_trick=0, ghna_trump=30, ghna_plain=15, ghna_caps=(10, 15, 45, 100)),
        Rules(ghna_plain=0),
        Rules(ghna_trump=0, ghna_plain=50, ghna_caps=(50, 60, 70, 80)),
    ],
    ids=["fractions", "plain pairs for nothing", "trump pairs for nothing"],
)
def test_other_rules(rules):
    for game in endings(3, 300, rules):
        assert solver.points(game.state) == brute.minimax(game.state)


@pytest.mark.parametrize(
    ("tricks", "deals"), [(5, 12), (4, 4), pytest.param(3, 4, marks=pytest.mark.slow)]
)
def test_deals_under_way(tricks, deals):
    for seed in range(deals):
        game = in_play(seed, tricks, contract=(70, 80, 90, 100)[seed % 4])
        assert solver.points(game.state) == brute.alpha_beta(game.state)


def test_whole_deals_need_no_table():
    """With a table of one bucket the search is another, the answers are the same."""
    workspace = new_workspace()
    for seed in range(3):
        game = in_play(seed, 0)
        workspace["buckets"] = 1
        bounds = answers.ask(workspace, game._states, False, solver.UNLIMITED)
        assert bounds == (solver.points(game.state),) * 2
        nodes = int(workspace["nodes"][0])
        assert nodes > 1.5 * solver.bounds(game.state, solver.UNLIMITED).nodes


@pytest.mark.parametrize("tricks", [1, 3, 5])
def test_a_best_line_comes_to_the_points(tricks):
    for seed in range(6):
        game = in_play(seed, tricks)
        total = solver.points(game.state)
        for action in solver.best_line(game.state):
            values = solver.values(game.state)
            best = (max if declaring(game) else min)(values.values())
            assert action == min(choice for choice in values if values[choice] == best)
            assert best == total
            game.push(action)
        assert game.deal_over
        assert game.state.total == total


def test_a_deal_that_is_over():
    game = in_play(1, 9)
    while not game.deal_over:
        game.push(game.legal_actions()[0])
    assert solver.points(game.state) == game.state.total
    assert solver.made(game.state) == (game.state.total >= game.state.contract)
    assert solver.values(game.state) == {}
    assert solver.best_line(game.state) == []


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold(seed):
    """Whatever the effort, and the same whatever was asked before."""
    game = in_play(seed, 2, contract=(80, 90, 100, 130)[seed])
    total = solver.points(game.state)
    before = None
    for nodes in (0, 1, 30, 300, 3000, 30_000, 300_000):
        bounds = solver.bounds(game.state, nodes)
        assert bounds.lower <= total <= bounds.upper
        assert bounds.nodes <= nodes + 4 * 40
        assert bounds.exact == (bounds.lower == bounds.upper)
        assert solver.made(game.state, nodes) in (None, total >= game.state.contract)
        assert before is None or before.lower <= bounds.lower <= bounds.upper <= before.upper
        solver.points(in_play(seed + 10, 5).state)
        assert solver.bounds(game.state, nodes) == bounds
        before = bounds
    assert before.exact
    assert not solver.bounds(game.state, 30).exact


def worlds(seed: int, tricks: int, number: int):
    game = in_play(seed, tricks)
    return game, resample(game.view(game.seat), np.random.default_rng(seed), number)


@pytest.mark.parametrize(("seed", "tricks"), [(0, 0), (1, 2), (2, 4), (3, 6), (4, 8)])
def test_votes_and_totals_say_what_values_say(seed, tricks):
    game, states = worlds(seed, tricks, 6)
    lower, upper = solver.totals(states)
    assert (lower == upper).all()
    for state, row in zip(states, lower, strict=True):
        legal = {action: int(row[action]) for action in game.legal_actions()}
        assert solver.values(state) == legal
        assert (np.delete(row, list(legal)) == -1).all()
    votes = solver.vote(states)
    legal = game.legal_actions()
    assert (votes.made[legal] == (lower[:, legal] >= game.state.contract).sum(0)).all()
    assert (votes.made[legal] + votes.failed[legal] == len(states)).all()
    assert votes.made.sum() + votes.failed.sum() == len(states) * len(legal)
    assert votes.nodes > 0 or tricks == 8


def test_right_is_what_wins_where_something_loses():
    decisive = 0
    for seed in range(120):
        game = in_play(seed, 5)
        [right] = solver.right(game._states)
        values = solver.values(game.state)
        declarer = declaring(game)
        won = {a for a, total in values.items() if (total >= game.state.contract) == declarer}
        won.discard(CONCEDE)
        choice = won and len(won) < len(values.keys() - {CONCEDE})
        assert set(np.flatnonzero(right)) == (won if choice else set())
        decisive += bool(choice)
    assert decisive > 5


def test_votes_within_a_budget():
    game, states = worlds(1, 1, 10)
    all_of_them, some = solver.vote(states), solver.vote(states, nodes=100)
    legal = game.legal_actions()
    assert (some.made <= all_of_them.made).all()
    assert (some.failed <= all_of_them.failed).all()
    assert (some.made + some.failed)[legal].min() < len(states)
    lower, upper = solver.totals(states, nodes=100)
    exact = solver.totals(states)[0]
    assert (lower <= exact).all()
    assert (exact <= upper).all()


def test_threads_do_not_disturb_one_another():
    states = worlds(5, 3, 40)[1]
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda i: solver.totals(states[i::4])[0], range(4)))
    whole = solver.totals(states)[0]
    for i, part in enumerate(parts):
        assert (part == whole[i::4]).all()


def test_nothing_is_written_to_a_state():
    game = in_play(3, 4)
    before = copy_states(game._states)
    solver.points(game.state), solver.values(game.state), solver.best_line(game.state)
    solver.made(game.state), solver.vote(game._states)
    assert before.tobytes() == game._states.tobytes()


@pytest.mark.parametrize("seed", range(2))
def test_par_is_what_the_points_are_once_trump_is_named(seed):
    chance = random.Random(seed)
    game = Game(seed=seed)
    hands = [game.hand(seat) for seat in range(4)]
    par = solver.par(hands, opener=(game.state.dealer + 1) % 4)
    assert (par.totals[0] == par.totals[2]).all()
    assert (par.totals[1] == par.totals[3]).all()
    for declarer in chance.sample(range(4), 2):
        for trump in chance.sample(range(4), 2):
            highest = 0
            for level, contract in enumerate((70, 80, 90, 100)):
                twin = Game(hands=hands, dealer=game.state.dealer)
                while twin.phase < 2:
                    bids = twin.seat == declarer and str(contract) in twin.legal_words()
                    twin.push(str(contract) if bids else "pass")
                twin.push(f"trump {'OCEB'[trump]}")
                total = solver.points(twin.state)
                assert par.totals[declarer, trump, level] == total
                if total >= contract:
                    highest = contract if contract < 100 else total // 10 * 10
            assert par.contracts[declarer, trump] == highest


def test_silence_for_the_partners_sake():
    """§7.5: the winner's pair can wait a trick; the partner must break up the other one."""
    game = ending(
        ["1O 10E 12C 11C", "2O 2E 1C 4B", "4O 12E 11E 7E", "5O 4E 3C 6B"], trump="C", taken=0
    )
    say(game, "1O 2O 4O 5O")
    values = {name(a, game.phase): total for a, total in solver.values(game.state).items()}
    assert values == {"ghna C": 74, "no ghna": 94}
    line = solver.best_line(game.state)
    assert [name(action, GHNA) for action in line[:3]] == ["no ghna", "ghna E", "10E"]
    assert name(line[6], GHNA) == "ghna C"


def test_a_smaller_pair_can_bar_the_greater():
    """§7.3: at 90 there is room for 40, or for 20 and 20."""
    game = ending(
        ["1O 12C 11C", "2O 2E 2B", "12E 11E 4O", "5O 4E 4B"], trump="C", contract=90, taken=0
    )
    say(game, "1O 2O 4O 5O")
    assert set(solver.values(game.state)) == {parse("ghna C", GHNA), parse("no ghna", GHNA)}
    declared, silent = solver.values(game.state).values()
    assert declared == silent + 20


def test_what_cannot_be_asked():
    game = table()
    with pytest.raises(ValueError, match="not in the play"):
        solver.points(game.state)
    with pytest.raises(ValueError, match="hides cards"):
        solver.vote(np.asarray(view(in_play(0, 3).state, 1)))
    for opener in (4, True, -1):
        with pytest.raises(ValueError, match="no seat"):
            solver.par(HANDS, opener)
    with pytest.raises(ValueError, match="seat 0 has 1 card;"):
        solver.par(["1O", *HANDS[1:]], 0)


def some_answers() -> list[object]:
    return [
        answer
        for game in endings(3, 12)
        for answer in (solver.values(game.state), solver.best_line(game.state))
    ]


def test_plain_python_answers_the_same():
    run = subprocess.run(
        [sys.executable, "-c", "from tests.test_solver import *; print(some_answers())"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert run.stdout.strip() == str(some_answers())
    assert run.stderr == ""
