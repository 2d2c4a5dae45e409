"""`ToutiEnv` against `VectorEnv`, and `Decisions` against a count by hand."""

import numpy as np
import pytest

pytest.importorskip("torchrl")

import torch
from torchrl.envs.utils import check_env_specs

from benchmarks.reward_audit import masked_policy
from touti_env import VectorEnv
from touti_env.adapters.torchrl import Decisions, ToutiEnv
from touti_env.core.cards import SEATS
from touti_env.core.rules import VARIANTS

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("rules", VARIANTS)
@pytest.mark.parametrize(
    "options", [{}, {"state": True, "canonical_suits": True, "play_forced": True}]
)
def test_specs(rules, options) -> None:
    check_env_specs(ToutiEnv(3, rules=rules, **options))


def test_it_is_the_vector_env() -> None:
    """The same games by the same actions; each step's `next` is the next step."""
    env, twin = ToutiEnv(5, state=True), VectorEnv(5, state=True)
    env.set_seed(7)
    data = env.rollout(120, masked_policy(), break_when_any_done=False)
    batch = twin.reset(seed=7)
    for step in data.unbind(1):
        for key in ("observation", "action_mask", "state"):
            assert (step[key].numpy() == getattr(batch, key)).all(), key
        assert (step["seat"].view(-1).numpy() == batch.seat).all()
        batch = twin.step(step["action"].numpy())
        assert (step["next", "reward"].numpy() == batch.reward).all()
        assert (step["next", "done"].view(-1).numpy() == batch.terminated).all()
        assert (step["next", "observation"].numpy() == batch.observation).all()
    assert data["next", "done"].sum() > 5


def test_only_games_that_have_ended_are_reset_alone() -> None:
    env = ToutiEnv(2)
    data = env.reset()
    data["action"] = data["action_mask"].int().argmax(1)
    data = env.step(data)["next"]
    data["_reset"] = torch.tensor([[True], [False]])
    with pytest.raises(ValueError, match="under way"):
        env.reset(data)
    env.reset()


def test_truncated_matches_are_refused() -> None:
    with pytest.raises(ValueError, match="max_deals is 2"):
        ToutiEnv(2, episode="match", max_deals=2)
    with pytest.raises(ValueError, match="deal, match"):
        ToutiEnv(2, episode="game")


def by_hand(data) -> list[tuple]:
    """Every decision of whole episodes, [N, T], as (seat, observation, paid, ends), by seat."""
    decisions: list[list[tuple]] = [[] for _ in range(SEATS)]
    for game in data.unbind(0):
        episode: list[list[list]] = [[] for _ in range(SEATS)]
        before = np.zeros(SEATS)
        for step in game.unbind(0):
            seat = int(step["seat"])
            episode[seat].append([seat, step["observation"], 0.0 + before[seat], False])
            before[seat] = 0
            for other, paid in enumerate(step["next", "reward"].tolist()):
                if episode[other]:
                    episode[other][-1][2] += paid
                else:
                    before[other] += paid
            if step["next", "done"]:
                for number, rows in enumerate(episode):
                    if rows:
                        rows[-1][3] = True
                    decisions[number] += map(tuple, rows)
                episode, before = [[] for _ in range(SEATS)], np.zeros(SEATS)
    return [row for rows in decisions for row in rows]


@pytest.mark.parametrize(
    "options", [{}, {"rules": "full", "play_forced": True}, {"episode": "match"}]
)
def test_decisions_are_those_counted_by_hand(options) -> None:
    torch.manual_seed(0)
    env = ToutiEnv(3, **options)
    env.set_seed(1)
    data = env.rollout(500, masked_policy(), break_when_any_done=False)
    rows, expected = Decisions()(data), by_hand(data)
    assert len(rows) == len(expected) > 300
    assert rows["seat"].view(-1).tolist() == [seat for seat, *_ in expected]
    assert (rows["observation"] == torch.stack([seen for _, seen, *_ in expected])).all()
    assert rows["next", "reward"].view(-1).tolist() == pytest.approx(
        [e[2] for e in expected], abs=1e-5
    )
    ends = rows["next", "done"].view(-1)
    assert ends.tolist() == [end for *_, end in expected]
    assert (rows["next", "terminated"].view(-1) == ends).all()
    following = rows["observation"].roll(-1, 0)
    assert (rows["next", "observation"][~ends] == following[~ends]).all()


def test_cuts_change_nothing() -> None:
    """The same rows come, whatever the pieces in which they are collected."""
    env = ToutiEnv(3)
    env.set_seed(1)
    data = env.rollout(260, masked_policy(), break_when_any_done=False)
    whole, decisions = Decisions()(data), Decisions()
    parts = [decisions(part) for part in data.split([1, 2, 40, 117, 100], 1)]
    assert len(parts[0]) == 0
    for entry in ("observation", ("next", "reward")):
        rows = [torch.cat([part[entry] for part in parts]), whole[entry]]
        ordered = [np.sort(tensor.flatten(1).double().sum(1).numpy()) for tensor in rows]
        assert (ordered[0] == ordered[1]).all()
