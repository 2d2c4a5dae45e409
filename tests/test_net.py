"""The policy file and its player without torch: the same choices, and bad files refused."""

import json
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

from touti_env import agent, arena, observation
from touti_env.baselines import net
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.cards import CARDS, SEATS, SUIT_SIZE, strength_of, suit_of
from touti_env.core.rules import VARIANTS
from touti_env.game import Game
from touti_env.notation import legal_actions
from touti_env.vector import VectorEnv

RULES = VARIANTS["standard"]


def weights(hidden=(24, 16), kind=np.float32, seed=1, belief_hidden=None):
    rng = np.random.default_rng(seed)
    return {
        name: (rng.normal(size=shape) / np.sqrt(shape[-1])).astype(kind)
        for name, shape in net.shapes(hidden, belief_hidden).items()
    }


def policy_file(path, hidden=(24, 16), kind=np.float32, seed=1, belief_hidden=None):
    meta = net.metadata(hidden, RULES, {"seed": seed}, belief_hidden=belief_hidden)
    save_file(weights(hidden, kind, seed, belief_hidden), path, meta)
    return path


def positions(rules, rounds=40, games=250):
    """Views and random words of all sorts of decisions."""
    env, rng = VectorEnv(games, rules), np.random.default_rng(5)
    env.reset(seed=4)
    for _ in range(rounds):
        yield env.views(), rng.integers(2**64, size=games, dtype=np.uint64), env.batch.action_mask
        env.step(env.sample())


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize("rules", VARIANTS)
def test_ten_thousand_positions_and_no_illegal_action(tmp_path, rules, greedy):
    player = net.load(str(policy_file(tmp_path / "a.safetensors")), greedy)
    for views, words, masks in positions(rules):
        assert masks[np.arange(len(views)), player.act_many(views, words)].all()


@pytest.mark.parametrize("half", [False, True])
def test_it_chooses_what_torch_chooses(tmp_path, half):
    torch = pytest.importorskip("torch")
    from agents import policy
    from agents.network import Actor

    torch.manual_seed(2)
    actor = Actor((64, 64, 64))
    with torch.no_grad():
        actor.head.weight.mul_(300)
    path = tmp_path / "policy.safetensors"
    policy.save(path, actor, RULES, {}, half=half)
    tested = 0
    for greedy in (True, False):
        reference = policy.load(str(path), greedy)
        player = net.load(str(path), greedy)
        for views, words, _ in positions("full"):
            chosen, expected = player.act_many(views, words), reference.act_many(views, words)
            tested += len(views)
            for view in views[chosen != expected]:
                best = np.sort(reference.probs(view))[-2:]
                assert greedy and best[1] - best[0] < 1e-5, "not even a tie"
            for view in views[:4]:
                assert abs(player.probs(view) - reference.probs(view)).max() < 1e-4
    assert tested == 20_000


def test_it_believes_what_torch_believes(tmp_path):
    torch = pytest.importorskip("torch")
    from agents import policy
    from agents.network import Actor, Belief

    torch.manual_seed(3)
    belief = Belief((32, 16))
    with torch.no_grad():
        belief.head.weight.mul_(300)
    path = tmp_path / "policy.safetensors"
    policy.save(path, Actor((16,)), RULES, {}, belief)
    player = net.load(str(path))
    assert player.reads
    for views, _, _ in positions("full", 40, 3):
        for view in views:
            seen, _, [order] = net.see(view.reshape(1))
            with torch.inference_mode():
                logits = belief(torch.from_numpy(seen)).view(3, CARDS)
            expected = logits.softmax(0).numpy()
            likely = player.belief(view)
            assert likely.shape == (SEATS, CARDS) and not likely[view.viewer].any()
            for step in range(1, SEATS):
                for card in range(CARDS):
                    true = order[suit_of(card)] * SUIT_SIZE + strength_of(card)
                    seat = (view.viewer + step) % SEATS
                    assert likely[seat, true] == pytest.approx(expected[step - 1, card], abs=1e-5)


def test_a_file_need_not_say_where_the_cards_are(tmp_path):
    player = net.load(str(policy_file(tmp_path / "a.safetensors")))
    assert not player.reads and player.belief(Game(seed=7).view(3)) is None
    with pytest.raises(net.PolicyError, match=r"its net cannot read the table"):
        agent.load(f"searcher?file={tmp_path / 'a.safetensors'}")


def test_draws_follow_the_probabilities(tmp_path):
    player = net.load(str(policy_file(tmp_path / "a.safetensors")), greedy=False)
    view = Game(seed=7).view(3)
    words = np.random.default_rng(1).integers(2**64, size=20_000, dtype=np.uint64)
    counts = np.bincount(player.act_many(np.repeat(view, 20_000), words), minlength=NUM_ACTIONS)
    p = player.probs(view)
    assert p.sum() == pytest.approx(1, abs=1e-6)
    assert set(np.flatnonzero(p)) == set(legal_actions(view))
    assert abs(counts / 20_000 - p).max() < 0.015


def test_greedy_takes_the_likeliest_and_leaves_the_view_alone(tmp_path):
    player = agent.load(f"net?file={policy_file(tmp_path / 'a.safetensors')}")
    game = Game(seed=7)
    for _ in range(40):
        view = game.view(game.seat)
        before = view.tobytes()
        action = player.act(view)
        assert action == player.probs(view).argmax()
        assert view.tobytes() == before
        game.push(action)


def test_a_network_against_itself_scores_exactly_zero(tmp_path):
    for greedy in (True, False):
        player = net.load(str(policy_file(tmp_path / "a.safetensors")), greedy)
        assert set(arena.duplicate(player, player, 50).values) == {0.0}


@pytest.mark.parametrize("place", ["strong/policy.safetensors", "elsewhere/strong.safetensors"])
def test_names(tmp_path, place):
    path = tmp_path / place
    path.parent.mkdir()
    assert agent.load(f"net?file={policy_file(path)}").name == "strong"


def test_half_precision_is_half_the_file_and_the_same_to_three_digits(tmp_path):
    whole = policy_file(tmp_path / "a.safetensors", (256, 256))
    half = policy_file(tmp_path / "b.safetensors", (256, 256), np.float16)
    assert half.stat().st_size < 0.51 * whole.stat().st_size
    for one, other in zip(
        net.read(whole).tensors.values(), net.read(half).tensors.values(), strict=True
    ):
        assert other.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-7)


def test_no_torch_is_loaded(tmp_path):
    path = policy_file(tmp_path / "a.safetensors")
    code = (
        "import sys; from touti_env import Game, agent; "
        f"agent.load({f'net?file={path}'!r}).act(Game(seed=1).view(1)); "
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="none: there is no such policy file"):
        agent.load(f"net?file={tmp_path / 'none'}")


def test_the_name_alone_is_the_file_of_the_package(tmp_path, monkeypatch):
    place = tmp_path / "data" / "net.safetensors"
    assert net.load.__defaults__[0] == str(net.SHIPPED)
    assert net.SHIPPED.parts[-3:] == ("touti_env", "data", "net.safetensors")
    place.parent.mkdir()
    assert net.load(str(policy_file(place))).name == "net"


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"not a policy at all, just some text"])
def test_a_corrupt_file_is_refused(tmp_path, content):
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(net.PolicyError, match="is no policy file"):
        net.read(path)


def test_a_file_that_was_cut_short_is_refused(tmp_path):
    path = policy_file(tmp_path / "a.safetensors")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(net.PolicyError, match="is no policy file"):
        net.read(path)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (None, "format is None; 'touti-policy-1' can be played"),
        ({net.KEY: "[]"}, "its metadata is"),
        ({net.KEY: "{"}, "is no policy file"),
    ],
)
def test_foreign_metadata_is_refused(tmp_path, metadata, message):
    path = tmp_path / "a.safetensors"
    save_file({"weight": np.zeros(3, np.float32)}, path, metadata)
    with pytest.raises(net.PolicyError, match=message):
        net.read(path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "touti-policy-0", "format is 'touti-policy-0'"),
        ("observation_version", 99, f"observation_version is 99; {observation.VERSION} can be"),
        ("observation_size", 1, "observation_size is 1"),
        ("actions", "0", "actions is '0'"),
        ("rules_version", 0, "rules_version is 0"),
        ("hidden", [24, "16"], "a list of widths"),
        ("hidden", None, "hidden is None; a list of widths"),
        ("belief_hidden", 8, "belief_hidden is 8; a list of widths"),
        ("belief_hidden", [8], "the weights do not fit its own metadata: it has"),
        ("hidden", [24], "the weights do not fit its own metadata: it has"),
        ("hidden", [24, 17], r"body.2.weight is of shape \(16, 24\); \(17, 24\) is needed"),
    ],
)
def test_a_policy_for_something_else_is_refused(tmp_path, key, value, message):
    path = tmp_path / "a.safetensors"
    meta = json.loads(net.metadata((24, 16), RULES, {})[net.KEY]) | {key: value}
    save_file(weights(), path, {net.KEY: json.dumps(meta)})
    with pytest.raises(net.PolicyError, match=message):
        net.read(path)


def test_bfloat16_which_numpy_does_not_know_is_refused(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_tensors

    path = tmp_path / "a.safetensors"
    tensors = {name: torch.from_numpy(tensor).bfloat16() for name, tensor in weights().items()}
    save_tensors(tensors, path, net.metadata((24, 16), RULES, {}))
    with pytest.raises(net.PolicyError, match="bfloat16"):
        net.read(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda bias: bias.astype(np.float64), "head.bias is float64; float32 or float16"),
        (lambda bias: bias * np.float32(np.nan), "head.bias has numbers that are not finite"),
    ],
)
def test_numbers_that_cannot_be_played_are_refused(tmp_path, change, message):
    path = tmp_path / "a.safetensors"
    tensors = weights()
    tensors["head.bias"] = change(tensors["head.bias"])
    save_file(tensors, path, net.metadata((24, 16), RULES, {}))
    with pytest.raises(net.PolicyError, match=message):
        net.read(path)
