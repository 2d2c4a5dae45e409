"""The numbers of a training log: what a policy is worth, and what it does, phase by phase."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import evaluation  # noqa: E402
from agents.network import Actor, Critic  # noqa: E402
from agents.rollout import Collector, Experience  # noqa: E402
from touti_env import agent, arena  # noqa: E402
from touti_env.baselines import net  # noqa: E402
from touti_env.core.state import Phase  # noqa: E402
from touti_env.observation import HIDDEN_TABLE  # noqa: E402
from touti_env.vector import VectorEnv  # noqa: E402


def experience(
    own: list[int], phase: list[int], log_prob: list[float], value: list[float], paid: list[float]
) -> Experience:
    """Decisions of which only what the log asks for is given."""
    nothing = torch.empty(0)
    returns, values = torch.tensor(paid), torch.tensor(value)
    return Experience(
        own=torch.tensor(own),
        state=nothing,
        mask=nothing,
        phase=torch.tensor(phase),
        action=nothing,
        log_prob=torch.tensor(log_prob),
        value=values,
        advantage=returns - values,
        returns=returns,
        right=nothing,
        episodes=1,
    )


def test_by_phase_by_hand() -> None:
    """Two threads' decisions together; what is not the learner's does not count."""
    bid, card, trump = Phase.AUCTION, Phase.PLAY, Phase.TRUMP
    first = experience(
        [0, 2, 3], [bid, bid, card, bid], [-1.0, -9, -0.5, -2], [0.5, 9, 0, -0.5], [1.0, -9, 1, -1]
    )
    second = experience([0, 1], [card, trump], [-0.25, -0.7], [-1.0, 0], [-1.0, 1])
    stats = evaluation.by_phase([first, second])
    assert stats == {
        "entropy/auction": 1.5,
        "explained_variance/auction": 1 - 0.25,  # ± 0.5 is left of ± 1
        "entropy/trump": 0.7,
        "entropy/play": 0.375,
        "explained_variance/play": 1 - 0.25,  # 1 and 0 are left of 1 and -1
    }


def test_phases_are_those_of_the_states_and_surprise_is_entropy_on_average() -> None:
    env = VectorEnv(256, state=True, canonical_suits=True, play_forced=True)
    env.reset(seed=3)
    torch.manual_seed(1)
    actor, critic = Actor((8,)), Critic((8,))
    collector = Collector(env, 60, (0.0, 0.0), agent.load("uniform"), seed=1)
    seen = collector.self_play(actor, critic, actor, gamma=1.0, gae_lambda=0.95)
    shown = seen.state[:, HIDDEN_TABLE["true_phase"]].argmax(1)
    assert torch.equal(seen.phase, shown)
    stats = evaluation.by_phase([seen])
    # An actor at its beginning draws nearly uniformly from what is legal.
    legal = seen.mask[seen.own].sum(1).log()
    for kind in (Phase.AUCTION, Phase.PLAY):
        expected = float(legal[seen.phase[seen.own] == kind].mean())
        assert stats[f"entropy/{kind.name.lower()}"] == pytest.approx(expected, abs=0.03)


def test_a_match_as_numbers_and_in_short() -> None:
    match = arena.duplicate(agent.load("heuristic"), agent.load("uniform"), 20)
    numbers = evaluation.numbers(match)
    assert numbers["mean"] == match.mean and numbers["standard_error"] == match.standard_error
    shares = [share for name, share in numbers.items() if name.startswith("contracts/")]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert sum(numbers[f"signals/{word}"] for word in ("AS", "COMPTE", "+10", "stop", "silent"))
    short = evaluation.in_short({"mean": 3, "standard_error": 0.5, "made": 0.5} | contracts(80))
    assert short == "+3.0 ± 0.5 points a deal, makes 50% of contracts of 80"
    assert evaluation.in_short({"mean": 3, "standard_error": 0.5}) == "+3.0 ± 0.5 points a deal"


def contracts(only: int) -> dict[str, float]:
    return {f"contracts/{level}": float(level == only) for level in range(70, 231, 10)}


def test_the_end_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    heuristic = agent.load("heuristic")
    final = evaluation.final(heuristic, ("uniform", "heuristic"), 20, "standard")
    assert list(final) == ["uniform", "heuristic", "muted"]
    assert final["heuristic"]["mean"] == 0
    shown = capsys.readouterr().out
    assert "heuristic against uniform" in shown
    assert "heuristic             +0.0 ± 0.0, 95% +0.0 to +0.0, 20 deals\n" in shown
    assert "the package's net     " in shown
    assert f"muting one team costs it {final['muted']['mean']:.2f} points a deal; 95%" in shown
    assert np.isfinite(final["muted"]["standard_error"])


def test_the_end_of_a_run_whose_policy_can_search(capsys: pytest.CaptureFixture[str]) -> None:
    player = agent.load("net")
    final = evaluation.final(player, ("heuristic",), 8, "standard", net.SHIPPED)
    assert list(final) == ["heuristic", "searching", "muted"]
    shown = capsys.readouterr().out
    assert ", 2 deals\n" in shown and f"searching: {evaluation.SEARCHING}{net.SHIPPED}" in shown
