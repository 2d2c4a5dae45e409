"""The trainer as a user runs it: options, files, resume, and that it learns."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import train  # noqa: E402
from agents import config, policy  # noqa: E402
from agents.network import Actor, Critic  # noqa: E402
from agents.options import Args  # noqa: E402
from agents.rollout import Collector, Experience  # noqa: E402
from agents.run import CheckpointError, RunFolder  # noqa: E402
from tests.small_run import SMALL, metrics, stop_after, trained  # noqa: E402
from touti_env import agent, arena, observation  # noqa: E402
from touti_env.baselines.net import PolicyError  # noqa: E402
from touti_env.core.rules import VARIANTS  # noqa: E402
from touti_env.observation import TABLE  # noqa: E402
from touti_env.vector import VectorEnv  # noqa: E402

ROOT = Path(__file__).parent.parent


def test_a_run_ends_with_its_table_and_files(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trained("--name", "run", "--updates", "2") == 0
    shown = capsys.readouterr().out
    for name in train.BASELINES:
        assert f"run against {name}" in shown
    files = {path.name for path in (folder / "runs" / "run").iterdir()}
    assert {
        "config.json",
        "metrics.jsonl",
        "checkpoint.pt",
        "policy.safetensors",
        "curve.jsonl",
    } <= files


def test_the_log_tells_what_the_policy_does(folder: Path) -> None:
    """At every update by phase, at evaluations what was declared and said, at the end the same."""
    flags = ("--name", "run", "--updates", "2", "--final-deals", "30")
    assert trained(*flags) == 0
    cloned, first, last, reading, final = metrics(folder / "runs" / "run")
    for row in (first, last):
        assert {"entropy/auction", "entropy/play", "explained_variance/play"} <= row.keys()
    for evaluation in (cloned["evaluation"], last["evaluation"], final["final"]["heuristic"]):
        assert {"mean", "standard_error", "left/pass", "signals/silent"} <= evaluation.keys()
    assert "evaluation" not in first
    assert set(final["final"]) == {*train.BASELINES, "searching", "muted"}
    assert trained(*flags, "--resume") == 0
    assert metrics(folder / "runs" / "run") == [cloned, first, last, reading, final]
    assert reading["update"] == reading["readings"] == 2 and 0 < reading["surprise"] < 1.2


@pytest.mark.parametrize("threads", ["1", "2"])
def test_three_updates_and_a_resume_are_six_updates_bitwise(folder: Path, threads: str) -> None:
    flags = ("--updates", "6", "--threads", threads)
    assert trained("--name", "whole", *flags) == 0
    halves = ("--name", "halves", *flags)
    stop_after(3, halves)
    assert trained(*halves, "--resume") == 0
    runs = folder / "runs"
    assert metrics(runs / "whole") == metrics(runs / "halves")
    whole, _ = policy.read(runs / "whole" / "policy.safetensors")
    resumed, _ = policy.read(runs / "halves" / "policy.safetensors")
    for key, tensor in whole.state_dict().items():
        assert torch.equal(tensor, resumed.state_dict()[key])


def test_an_interrupt_while_imitating_loses_nothing_either(folder: Path) -> None:
    flags = ("--updates", "2", "--clone-updates", "4")
    assert trained("--name", "whole", *flags) == 0
    trainer = train.Trainer(config.parse(Args, [*SMALL, "--name", "halves", *flags]))
    imitate = trainer.imitate

    def imitate_and_stop() -> None:
        imitate()
        trainer.interrupted = trainer.imitated == 2

    trainer.imitate = imitate_and_stop  # type: ignore[method-assign]
    trainer.run()
    assert trained("--name", "halves", *flags, "--resume") == 0
    assert metrics(folder / "runs" / "whole") == metrics(folder / "runs" / "halves")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--num-envs 0", "num_envs is 0; 1 or more is valid"),
        ("--num-envs 33 --threads 2", "num_envs is 33; a multiple of threads is valid"),
        ("--past-share 0.9 --bot-share 0.2", "parts of 1"),
        ("--rules bridge", "rules is 'bridge'; valid are standard, full, plain"),
        ("--updates -1", "updates is -1; 0 or more is valid"),
        ("--episode game", "episode is 'game'; valid are deal, match"),
        ("--reward money", "reward is 'money'; valid are score, win"),
        ("--episode match --max-deals 0", "max_deals is 0; 1 or more"),
        ("--threads 0", "threads is 0; 1 or more is valid"),
        ("--num-minibatches 100000", "num_minibatches is 100000"),
        ("--precision low", "precision is 'low'; valid are auto, float32, bfloat16"),
        ("--solver-coef -1", "solver_coef is -1.0; a number of 0 or more is valid"),
        ("--gamma nan", "gamma is nan; a number of 0 or more is valid"),
        ("--solver-since 12", "solver_since is 12; 1 to 11 is valid"),
    ],
)
def test_options_out_of_range_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], flags: str, message: str
) -> None:
    with pytest.raises(SystemExit):
        train.main(flags.split())
    shown = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert message in shown
    assert not (folder / "runs").exists()


def test_a_reloaded_policy_has_the_same_logits_and_the_same_score(tmp_path: Path) -> None:
    torch.manual_seed(1)
    actor = Actor((32, 16))
    path = tmp_path / "policy.safetensors"
    policy.save(path, actor, VARIANTS["standard"], {})
    again, meta = policy.read(path)
    seen = torch.rand(10, actor.body[0].in_features)
    assert torch.equal(actor(seen), again(seen))
    assert meta["rules"] == VARIANTS["standard"].asdict()
    uniform = agent.load("uniform")
    loaded = agent.load(f"agents.policy?checkpoint={path}")
    before = arena.duplicate(policy.NetPolicy(actor, greedy=True), uniform, 20)
    assert arena.duplicate(loaded, uniform, 20).values == before.values


def test_a_network_against_itself_scores_exactly_zero() -> None:
    torch.manual_seed(1)
    net = policy.NetPolicy(Actor((32,)))
    assert set(arena.duplicate(net, net, 50).values) == {0.0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no policy file"),
        (b"not a policy at all, just some text", "no policy file"),
    ],
)
def test_a_corrupt_policy_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(PolicyError, match=message):
        policy.load(str(path))


def test_a_foreign_safetensors_file_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    path = tmp_path / "foreign.safetensors"
    save_file({"weight": torch.zeros(3)}, path)
    with pytest.raises(PolicyError, match="format is None"):
        policy.load(str(path))


def test_a_policy_for_another_observation_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "policy.safetensors"
    policy.save(path, Actor((8,)), VARIANTS["standard"], {})
    trained_for = observation.VERSION
    monkeypatch.setattr("touti_env.observation.VERSION", 99)
    with pytest.raises(PolicyError, match=f"observation_version is {trained_for}; 99"):
        policy.load(str(path))


def test_a_missing_checkpoint_is_a_clear_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trained("--name", "none", "--resume") == 2
    assert "no checkpoint to go on from" in capsys.readouterr().err


def test_a_run_without_a_checkpoint_may_begin_again(folder: Path) -> None:
    args = config.parse(Args, [*SMALL, "--name", "killed", "--updates", "1"])
    train.Trainer(args).folder.log({"update": 0})
    assert trained("--name", "killed", "--updates", "1") == 0
    assert [row["update"] for row in metrics(folder / "runs" / "killed")] == [0, 1, 1, 1]


def test_a_resume_remembers_the_options_of_the_run(folder: Path) -> None:
    assert trained("--name", "run", "--updates", "1", "--gamma", "0.9") == 0
    assert train.main(["--name", "run", "--resume", "--updates", "2"]) == 0
    assert [row["update"] for row in metrics(folder / "runs" / "run")] == [0, 1, 1, 1, 2, 2, 2]
    content = RunFolder(folder / "runs" / "run").load()
    assert content["args"]["gamma"] == 0.9 and content["args"]["num_envs"] == 32


def test_a_run_can_be_extended_and_interrupted_again(folder: Path) -> None:
    """The step size never jumps up, ends where it was asked to, and a resume remembers.

    At each end stand the update, what was read off the table, and the final matches.
    """
    small = ("--updates", "3")
    for name in ("one", "two"):
        assert trained("--name", name, *small) == 0
    longer = ("--resume", "--updates", "7")
    assert trained("--name", "one", *longer) == 0
    stop_after(5, ("--name", "two", *longer))
    assert train.main(["--name", "two", "--resume"]) == 0
    one, two = (metrics(folder / "runs" / name) for name in ("one", "two"))
    assert one == two
    assert [row["update"] for row in one] == [0, 1, 2, 3, 3, 3, 4, 5, 6, 7, 7, 7]
    sizes = [row["learning_rate"] for row in one if "learning_rate" in row]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == pytest.approx(Args().learning_rate_end)


def test_a_run_is_not_made_shorter_than_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trained("--name", "run", "--updates", "2") == 0
    assert trained("--name", "run", "--resume", "--updates", "1") == 2
    assert "updates is 1; the checkpoint has 2 of them" in capsys.readouterr().err
    assert RunFolder(folder / "runs" / "run").load()["args"]["updates"] == 2


def test_a_run_is_never_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trained("--name", "run", "--updates", "1") == 0
    assert trained("--name", "run", "--updates", "1") == 2
    assert "holds a run" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x02K\x01."])
def test_a_corrupt_checkpoint_is_refused(tmp_path: Path, content: bytes) -> None:
    run = RunFolder(tmp_path)
    run.checkpoint.write_bytes(content)
    with pytest.raises(CheckpointError, match="cannot be read"):
        run.load()


def test_a_foreign_checkpoint_is_refused(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    torch.save({"model": torch.zeros(2)}, run.checkpoint)
    with pytest.raises(CheckpointError, match="no checkpoint of this program"):
        run.load()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--actor-hidden", "64"), "the checkpoint has actor_hidden (32,), not (64,)"),
        (("--seed", "2"), "the checkpoint has seed 1, not 2"),
        (("--start", "other.safetensors"), "the checkpoint has start None, not 'other.saf"),
    ],
)
def test_a_resume_with_what_was_settled_at_the_start_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, str], message: str
) -> None:
    assert trained("--name", "run", "--updates", "1") == 0
    before = (folder / "runs" / "run" / "config.json").read_text()
    assert trained("--name", "run", "--resume", *flags) == 2
    assert message in capsys.readouterr().err
    assert (folder / "runs" / "run" / "config.json").read_text() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rat = 1e-4", "unknown key 'learning_rat'; did you mean learning_rate"),
        ("zzz = 1", "unknown key 'zzz'; valid are name"),
        ('updates = "many"', "updates is 'many'; a whole number is valid"),
        ("updates = 1.5", "updates is 1.5; a whole number is valid"),
        ("resume = 1", "resume is 1; true or false is valid"),
        ("seed = true", "seed is True; a whole number is valid"),
        ("actor_hidden = 64", "actor_hidden is 64; a list is valid"),
        ('actor_hidden = ["a"]', "actor_hidden is 'a'; a whole number is valid"),
        ("updates = ", "no TOML"),
    ],
)
def test_a_wrong_configuration_is_fatal(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(config.ConfigError, match=message):
        config.parse(Args, ["--config", str(path)])


def test_flags_go_over_the_file_and_the_file_over_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("updates = 7\ngamma = 1\nactor_hidden = [64, 64]\n")
    args = config.parse(Args, ["--config", str(path), "--seed", "9", "--updates", "8"])
    assert (args.updates, args.seed, args.gamma) == (8, 9, 1.0)
    assert args.actor_hidden == (64, 64)
    assert args.num_envs == Args().num_envs
    assert config.parse(Args, [f"--config={path}", "--seed", "9", "--updates", "8"]) == args


def test_config_without_a_file_is_fatal() -> None:
    with pytest.raises(config.ConfigError, match="--config needs a file"):
        config.parse(Args, ["--seed", "2", "--config"])


def test_an_unknown_flag_is_fatal() -> None:
    with pytest.raises(SystemExit):
        config.parse(Args, ["--learning-rat", "1"])


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.toml")), ids=lambda p: p.name)
def test_the_shipped_configurations_hold(path: Path) -> None:
    config.parse(Args, ["--config", str(path)])


def test_every_option_is_explained() -> None:
    source = (ROOT / "agents" / "options.py").read_text()
    for field in dataclasses.fields(Args):
        line = source.split(f"    {field.name}: ", 1)[1]
        assert line.split("\n")[1].startswith('    """'), field.name


def test_stored_rewards_sum_to_what_the_deals_paid() -> None:
    """Per seat, what reaches the learner's decisions is what the environment paid."""
    env = VectorEnv(64, state=True, canonical_suits=True, play_forced=True)
    env.reset(seed=3)
    critic = Critic((8,))
    for parameter in critic.parameters():
        torch.nn.init.zeros_(parameter)
    uniform = agent.load("uniform")
    collector = Collector(env, 200, (0.0, 0.0), uniform, seed=1)
    experience = collector.imitate(uniform, critic, gamma=1.0, gae_lambda=1.0)
    last = collector._ended.nonzero()
    paid = collector._reward[last]
    assert np.allclose(paid[:, 0], paid[:, 2]) and np.allclose(paid[:, 0], -paid[:, 1])
    known = experience.advantage[experience.own]
    assert set(np.unique(known.abs().numpy().round(2))) <= {
        0.0,
        *(np.arange(70, 231, 10) / 100).round(2).astype(np.float32),
    }


def in_matches(reward: str, max_deals: int | None, steps: int) -> tuple[Collector, Experience]:
    """What is learned from some actions in matches, by a critic to whom nothing has any value."""
    env = VectorEnv(
        64,
        episode="match",
        reward=reward,
        max_deals=max_deals,
        state=True,
        canonical_suits=True,
        play_forced=True,
    )
    env.reset(seed=3)
    actor, critic = Actor((8,)), Critic((8,))
    for parameter in critic.parameters():
        torch.nn.init.zeros_(parameter)
    collector = Collector(env, steps, (0.3, 0.3), agent.load("uniform"), seed=1)
    return collector, collector.self_play(actor, critic, actor, gamma=1.0, gae_lambda=1.0)


def test_decisions_of_a_match_are_worth_its_result() -> None:
    """All of a match that ended, over its deals; and the score is in view."""
    collector, experience = in_matches("win", None, 400)
    ended = collector._ended
    assert 64 < ended.sum() < 64 * 8 and experience.episodes == ended.sum()
    assert not collector._reward[~ended].any() and (np.abs(collector._reward[ended]) == 1).all()
    advantage = experience.advantage.reshape(ended.shape).numpy()
    game = 0
    (first, second) = np.flatnonzero(ended[:, game])[:2]
    for t in range(first + 1, second + 1):
        won = collector._reward[second, game, collector._seat[t, game]]
        assert advantage[t, game] == won
    score = experience.state[:, TABLE["score"]]
    assert (score > 0).any(1).float().mean() > 0.5


def test_a_rival_stays_for_the_match() -> None:
    collector, _ = in_matches("score", None, 1)
    for _ in range(200):
        before = collector.rival.copy(), collector.team.copy()
        collector._run(lambda t, rows: collector._sample(Actor((8,)), t, rows), Actor((8,)))
        same = ~collector._ended[0]
        assert np.array_equal(collector.rival[same], before[0][same])
        assert np.array_equal(collector.team[same], before[1][same])


def test_a_match_that_is_cut_short_is_not_lost_or_won() -> None:
    """With a critic that says 0, what is known of a decision is what was paid until the last."""
    collector, experience = in_matches("win", 1, 200)
    assert collector._cut.sum() > 64 and not (collector._ended & ~collector._cut).any()
    assert not experience.advantage.any()
    rows, ended = experience.own.numpy() // 64, collector._ended
    for t, game in zip(rows, experience.own.numpy() % 64, strict=True):
        over = t + np.argmax(ended[t:, game]) if ended[t:, game].any() else len(ended)
        later = collector._seat[t + 1 : over + 1, game]
        assert collector._seat[t, game] in later  # a seat's last decision is not learned from


def test_a_run_in_matches_resumes_exactly(folder: Path) -> None:
    flags = ("--updates", "4", "--episode", "match", "--reward", "win", "--max-deals", "3")
    assert trained("--name", "whole", *flags) == 0
    stop_after(2, ("--name", "halves", *flags))
    assert trained("--name", "halves", *flags, "--resume") == 0
    assert metrics(folder / "runs" / "whole") == metrics(folder / "runs" / "halves")


def test_the_pool_and_the_bot_are_met_and_only_the_learner_is_kept() -> None:
    env = VectorEnv(64, state=True, canonical_suits=True, play_forced=True)
    env.reset(seed=3)
    actor, critic = Actor((8,)), Critic((8,))
    collector = Collector(env, 50, (0.3, 0.3), agent.load("uniform"), seed=1)
    experience = collector.self_play(actor, critic, actor, gamma=1.0, gae_lambda=0.95)
    decided = collector._own.mean()
    assert 0.6 < decided < 0.8  # 40% of the deals all four seats, else one team
    assert len(experience) <= collector._own.sum()
    assert experience.mask.gather(1, experience.action[:, None]).all()
    half = torch.arange(len(experience) // 2)
    assert torch.equal(experience.part(half).state, experience.state[experience.own[half]])
    assert torch.isfinite(experience.advantage).all()


def test_an_interrupt_saves_and_exits_cleanly(tmp_path: Path) -> None:
    """As a user would: Ctrl-C in the middle of a long run, then --resume."""
    command = [sys.executable, str(ROOT / "train.py"), *SMALL, "--name", "long"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.Popen(
        [*command, "--updates", "100000"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    log = tmp_path / "runs" / "long" / "metrics.jsonl"
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and not (log.exists() and log.read_text()):
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    shown, _ = run.communicate(timeout=600)
    assert run.returncode == 0, shown
    assert "go on with --resume" in shown
    assert RunFolder(log.parent).load()["update"] >= 1
    assert json.loads(log.read_text().splitlines()[-1])["update"] >= 1


@pytest.mark.slow
def test_a_minute_of_training_beats_uniform(folder: Path) -> None:
    flags = "--name minute --updates 20 --threads 1 --final-deals 200 --eval-every 50".split()
    assert train.main(flags) == 0
    learner = agent.load("agents.policy?checkpoint=runs/minute/policy.safetensors")
    match = arena.duplicate(learner, agent.load("uniform"), 400)
    assert match.mean > 3 * match.standard_error
