"""The switches of the recipe: what each of them changes, and that a run with it goes on exactly."""

import math
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import policy  # noqa: E402
from agents.network import Actor, Critic, wrongness  # noqa: E402
from agents.rollout import Collector, Experience, learned, normalised  # noqa: E402
from agents.run import RunFolder  # noqa: E402
from tests.small_run import metrics, stop_after, trained  # noqa: E402
from touti_env import agent, arena, solver  # noqa: E402
from touti_env.adapters.networks import masked_log_softmax  # noqa: E402
from touti_env.baselines import net  # noqa: E402
from touti_env.core.rules import VARIANTS  # noqa: E402
from touti_env.core.state import Phase  # noqa: E402
from touti_env.observation import SIZE, STATE_SIZE  # noqa: E402
from touti_env.symmetry import true_action  # noqa: E402
from touti_env.vector import VectorEnv  # noqa: E402

SWITCHES = (
    "--no-canonical-suits --no-critic-sees-all --normalise-by-phase --reward-scale 10"
    " --updates 3 --threads 2 --solver-since 8"
).split()


def experience(**options: float) -> Experience:
    env = VectorEnv(64, state=True, play_forced=True)
    env.reset(seed=3)
    torch.manual_seed(1)
    actor, critic = Actor((8,), canonical=False), Critic((8,))
    for parameter in critic.parameters():
        torch.nn.init.zeros_(parameter)
    bot = agent.load("heuristic")
    collector = Collector(env, 60, (0.0, 0.5), bot, seed=1, **options)
    return collector.self_play(actor, critic, actor, gamma=1.0, gae_lambda=1.0)


def test_a_run_with_every_switch_turned_resumes_exactly(folder: Path) -> None:
    assert trained("--name", "whole", *SWITCHES) == 0
    stop_after(2, ("--name", "halves", *SWITCHES))
    assert trained("--name", "halves", *SWITCHES, "--resume") == 0
    assert metrics(folder / "runs" / "whole") == metrics(folder / "runs" / "halves")
    assert not net.read(folder / "runs" / "whole" / "policy.safetensors").canonical


@pytest.mark.parametrize("flag", ["--canonical-suits", "--critic-sees-all"])
def test_a_resume_does_not_change_what_networks_see(
    folder: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    assert trained("--name", "run", *SWITCHES, "--updates", "1") == 0
    assert trained("--name", "run", *SWITCHES, "--resume", flag) == 2
    name = flag[2:].replace("-", "_")
    assert f"the checkpoint has {name} False, not True" in capsys.readouterr().err


def test_a_checkpoint_older_than_an_option_had_its_default(folder: Path) -> None:
    assert trained("--name", "run", "--updates", "1") == 0
    run = RunFolder(folder / "runs" / "run")
    content = run.load()
    del content["args"]["critic_sees_all"], content["args"]["canonical_suits"]
    run.save(content)
    assert trained("--name", "run", "--resume", "--updates", "2") == 0


def test_advantages_of_each_phase_by_themselves() -> None:
    seen = experience()
    whole, apart = (
        learned(normalised([seen], by_phase), "advantage") for by_phase in (False, True)
    )
    phase = learned([seen], "phase")
    assert float(whole.mean()) == pytest.approx(0, abs=1e-5)
    assert float(whole.std()) == pytest.approx(1, abs=1e-5)
    for kind in (Phase.AUCTION, Phase.PLAY):
        assert float(apart[phase == kind].mean()) == pytest.approx(0, abs=1e-5)
        assert float(apart[phase == kind].std()) == pytest.approx(1, abs=1e-3)
        assert abs(float(whole[phase == kind].std()) - 1) > 0.01
    assert torch.isfinite(apart).all()


def test_rewards_are_scaled() -> None:
    once, tenfold = experience(), experience(scale=10)
    assert once.returns.any()
    assert torch.allclose(10 * once.returns, tenfold.returns)


@pytest.mark.parametrize("canonical", [False, True])
def test_the_solver_is_asked_about_the_learners_cards_in_the_last_tricks(canonical: bool) -> None:
    torch.manual_seed(1)
    env = VectorEnv(512, state=True, canonical_suits=canonical, play_forced=True)
    env.reset(seed=3)
    bot = agent.load("heuristic")
    collector = Collector(env, 1, (0.0, 0.5), bot, seed=1)
    actor, critic, decisive = Actor((8,)), Critic((8,)), 0
    for _ in range(60):
        before, orders = env.states.copy(), env._orders.copy()
        seen = collector.self_play(actor, critic, actor, 4, gamma=1.0, gae_lambda=1.0)
        asked = (before["phase"] == Phase.PLAY) & (before["played"] >= 12) & collector._own[0]
        assert not seen.right[~asked].any()
        for game in np.flatnonzero(asked):
            [right] = solver.right(before[game : game + 1])
            shown = np.flatnonzero(seen.right[game])
            cards = {true_action(int(action), orders[game]) for action in shown}
            assert cards == set(np.flatnonzero(right))
            decisive += bool(cards)
    assert decisive > 3


def test_what_the_solver_finds_right_is_learned() -> None:
    log_probs = masked_log_softmax(torch.zeros(3, 5), torch.tensor([[1, 1, 1, 1, 0]] * 3))
    right = torch.zeros(3, 5, dtype=torch.bool)
    assert wrongness(log_probs, right) == 0
    right[0, 1] = right[0, 2] = right[2, 3] = True
    assert wrongness(log_probs, right).item() == pytest.approx((math.log(2) + math.log(4)) / 3)


def test_a_critic_that_sees_what_its_seat_may_know() -> None:
    torch.manual_seed(1)
    state = torch.rand(5, STATE_SIZE)
    other = state.clone()
    other[:, SIZE:] = 0
    blind, seeing = Critic((8,), sees_all=False), Critic((8,))
    assert torch.equal(blind(state), blind(other))
    assert not torch.equal(seeing(state), seeing(other))


def test_a_policy_in_the_suits_of_the_table(tmp_path: Path) -> None:
    """Its file says so, both players read it so, and it plays as it was trained: without orders."""
    torch.manual_seed(1)
    actor = Actor((16,), canonical=False)
    with torch.no_grad():
        actor.head.weight.mul_(300)
    path = tmp_path / "policy.safetensors"
    policy.save(path, actor, VARIANTS["standard"], {})
    players = policy.load(str(path)), net.load(str(path))
    env = VectorEnv(64, play_forced=True)
    batch = env.reset(seed=1)
    for _ in range(60):
        logits = actor(torch.from_numpy(batch.observation)).detach()
        logits[torch.from_numpy(batch.action_mask) == 0] = -torch.inf
        expected = logits.argmax(1).numpy()
        views = env.views()
        for player in players:
            chosen = agent.act_many(player, views, views["key"])
            assert (chosen == expected).mean() > 0.99  # in float32, a tie may be broken otherwise
        batch = env.step(expected)
    match = arena.duplicate(players[0], players[1], 20)
    assert match.agents[0].illegal == match.agents[1].illegal == 0


def test_a_run_begins_from_a_policy_and_only_its_critic_learns_first(folder: Path) -> None:
    assert trained("--name", "first", "--updates", "1") == 0
    file = folder / "runs" / "first" / "policy.safetensors"
    start = ("--start", str(file), "--clone-updates", "2", "--bot", f"net?file={file}")
    assert trained("--name", "second", *start, "--updates", "0") == 0
    same = folder / "runs" / "second" / "policy.safetensors"
    before, after = net.read(file).tensors, net.read(same).tensors
    assert all((before[key] == after[key]).all() for key in before)
    critics = (RunFolder(folder / "runs" / name).load()["critic"] for name in ("first", "second"))
    assert not torch.equal(*(critic["head.weight"] for critic in critics))
    evaluation = metrics(folder / "runs" / "second")[0]["evaluation"]
    assert evaluation["mean"] == 0  # of itself against itself


def test_a_response_to_an_agent_resumes_exactly(folder: Path) -> None:
    """From a policy, against a policy in every deal."""
    assert trained("--name", "first", "--updates", "1") == 0
    file = folder / "runs" / "first" / "policy.safetensors"
    flags = ("--start", str(file), "--bot", f"agents.policy?checkpoint={file}", "--updates", "3")
    flags += ("--bot-share", "1", "--past-share", "0")
    assert trained("--name", "whole", *flags) == 0
    stop_after(2, ("--name", "halves", *flags))
    assert trained("--name", "halves", *flags, "--resume") == 0
    assert metrics(folder / "runs" / "whole") == metrics(folder / "runs" / "halves")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--start runs/first/policy.safetensors --actor-hidden 16", "(32,) is valid"),
        ("--start runs/first/policy.safetensors --no-canonical-suits", "True is valid"),
        ("--start runs/none/policy.safetensors", "there is no such policy file"),
        ("--bot nobody", "there is no 'nobody'"),
    ],
)
def test_what_a_run_cannot_begin_with_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], flags: str, message: str
) -> None:
    policy.save(_made(folder / "runs" / "first"), Actor((32,)), VARIANTS["standard"], {})
    assert trained("--name", "run", *flags.split()) == 2
    assert message in capsys.readouterr().err
    assert not (folder / "runs" / "run").exists()


def _made(path: Path) -> Path:
    path.mkdir(parents=True)
    return path / "policy.safetensors"
