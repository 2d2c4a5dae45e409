"""Masked probabilities: one function, right in every precision, and never an illegal action."""

import itertools
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.network import Actor, Belief, draw, entropy_of  # noqa: E402
from agents.policy import NetPolicy  # noqa: E402
from touti_env.adapters.networks import masked_log_softmax  # noqa: E402
from touti_env.core.actions import NUM_ACTIONS  # noqa: E402
from touti_env.core.cards import CARDS, SEATS  # noqa: E402
from touti_env.core.state import STATE  # noqa: E402
from touti_env.notation import legal_actions  # noqa: E402
from touti_env.observation import SIZE  # noqa: E402
from touti_env.vector import VectorEnv  # noqa: E402
from touti_env.view import shown_lacking  # noqa: E402


def test_probabilities_are_those_of_the_legal_actions_alone() -> None:
    logits = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    mask = torch.tensor([[1, 0, 1, 0]])
    p = masked_log_softmax(logits, mask).exp()[0]
    assert p[0].item() == pytest.approx(1 / (1 + math.e**2))
    assert p[2].item() == pytest.approx(math.e**2 / (1 + math.e**2))
    assert p[1] == 0 and p[3] == 0


@pytest.mark.parametrize("kind", [torch.bool, torch.int8, torch.int64, torch.float32])
def test_the_mask_may_be_of_any_type(kind: torch.dtype) -> None:
    logits, mask = torch.randn(5, 72), torch.rand(5, 72) > 0.5
    assert torch.equal(masked_log_softmax(logits, mask.to(kind)), masked_log_softmax(logits, mask))


def test_one_row_and_a_batch_agree() -> None:
    logits, mask = torch.randn(5, 72), torch.rand(5, 72) > 0.5
    rows = [masked_log_softmax(row, legal) for row, legal in zip(logits, mask, strict=True)]
    assert torch.equal(torch.stack(rows), masked_log_softmax(logits, mask))


@pytest.mark.parametrize("shape", [(72,), (4, 72), (5, 71), (5, 72, 1)])
def test_a_mask_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="mask of shape"):
        masked_log_softmax(torch.randn(5, 72), torch.ones(shape))


def test_a_row_without_a_legal_action_is_refused() -> None:
    mask = torch.ones(3, 72)
    mask[1] = 0
    with pytest.raises(ValueError, match="no legal action"):
        masked_log_softmax(torch.randn(3, 72), mask)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32])
def test_extreme_logits_of_every_precision_stay_finite(kind: torch.dtype) -> None:
    logits = torch.tensor([[6e4, -6e4, 0.0, 6e4]]).to(kind).requires_grad_()
    mask = torch.tensor([[0, 1, 1, 0]])
    log_probs = masked_log_softmax(logits, mask)
    assert log_probs.dtype == torch.float32
    assert torch.allclose(log_probs.exp(), torch.tensor([[0.0, 0.0, 1.0, 0.0]]))
    (entropy_of(log_probs).sum() + log_probs[0, 2]).backward()
    assert logits.grad is not None and torch.isfinite(logits.grad).all()


def test_entropy_is_that_of_brute_force() -> None:
    logits, mask = torch.randn(50, 10), torch.rand(50, 10) > 0.4
    mask[:, 0] = True
    for row, legal, entropy in zip(
        logits, mask, entropy_of(masked_log_softmax(logits, mask)), strict=True
    ):
        weights = [math.exp(x) for x, ok in zip(row.tolist(), legal, strict=True) if ok]
        p = [weight / sum(weights) for weight in weights]
        assert entropy.item() == pytest.approx(-sum(x * math.log(x) for x in p), abs=1e-5)


def test_the_gradient_of_an_illegal_logit_is_zero() -> None:
    logits = torch.randn(20, 72, requires_grad=True)
    mask = torch.rand(20, 72) > 0.5
    log_probs = masked_log_softmax(logits, mask)
    loss = entropy_of(log_probs).sum() + log_probs.gather(1, mask.int().argmax(1)[:, None]).sum()
    loss.backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~mask] == 0).all()


def test_actions_are_drawn_in_proportion() -> None:
    p = torch.tensor([0.5, 0.0, 0.3, 0.2])
    log_probs = masked_log_softmax(p.log().nan_to_num(neginf=0.0), p > 0)
    uniform = torch.rand(40_000, dtype=torch.float64)
    counts = draw(log_probs.expand(40_000, 4), uniform).bincount(minlength=4)
    assert counts[1] == 0
    assert torch.allclose(counts / 40_000, p, atol=0.015)


@pytest.mark.parametrize("edge", [0.0, 1 - 2.0**-53])
@pytest.mark.parametrize("legal", [[0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]])
def test_the_extreme_numbers_draw_legal_actions(edge: float, legal: list[int]) -> None:
    torch.manual_seed(1)
    mask = torch.tensor([legal]).expand(500, 4)
    drawn = draw(masked_log_softmax(torch.randn(500, 4), mask), torch.full((500,), edge).double())
    assert mask.gather(1, drawn[:, None]).all()
    first, last = legal.index(1), 3 - legal[::-1].index(1)
    assert (drawn == (first if edge == 0 else last)).all()


@pytest.mark.parametrize(
    ("rules", "greedy"), list(itertools.product(["standard", "full"], [True, False]))
)
def test_ten_thousand_positions_and_no_illegal_action(rules: str, greedy: bool) -> None:
    torch.manual_seed(3)
    agent = NetPolicy(Actor((32,)), greedy=greedy)
    env = VectorEnv(250, rules)
    env.reset(seed=4)
    rng = np.random.default_rng(5)
    for _ in range(40):
        words = rng.integers(2**64, size=250, dtype=np.uint64)
        actions = agent.act_many(env.views(), words)
        assert env.batch.action_mask[np.arange(250), actions].all()
        env.step(env.sample())


def test_probs_are_in_the_suits_of_the_table() -> None:
    torch.manual_seed(3)
    agent = NetPolicy(Actor((32,)))
    env = VectorEnv(64, "full")
    env.reset(seed=6)
    for _ in range(30):
        for view in env.views()[:4]:
            p = agent.probs(view)
            assert p.shape == (NUM_ACTIONS,)
            assert p.sum() == pytest.approx(1, abs=1e-5)
            assert set(np.flatnonzero(p)) == set(legal_actions(view))
            likeliest = NetPolicy(agent.actor, greedy=True).act(view)
            assert p[likeliest] == p.max()
        env.step(env.sample())


def test_act_is_a_batch_of_one() -> None:
    agent = NetPolicy(Actor((32,)), greedy=True)
    env = VectorEnv(20)
    env.reset(seed=7)
    views = env.views()
    assert views.dtype == STATE
    many = agent.act_many(views, np.zeros(20, np.uint64))
    assert [agent.act(view) for view in views] == many.tolist()


def test_the_surprise_is_that_at_every_card_that_another_seat_holds() -> None:
    torch.manual_seed(5)
    belief, surprises = Belief((16,)), []
    with torch.no_grad():
        belief.head.weight.mul_(300)
    env = VectorEnv(6, state=True, canonical_suits=False)
    env.reset(seed=2)
    for _ in range(25):
        env.step(env.sample())
    state = torch.from_numpy(env.batch.state)
    logits = belief(state[:, :SIZE]).detach().view(6, 3, CARDS).numpy()
    for i, game in enumerate(env.states):
        for step in range(1, SEATS):
            for card in range(CARDS):
                holder = (game.seat + step) % SEATS
                if game.hands[holder] >> card & 1:
                    may = [
                        math.exp(logits[i, k, card])
                        for k in range(3)
                        if not shown_lacking(game, (game.seat + 1 + k) % SEATS) >> card & 1
                    ]
                    surprises.append(math.log(sum(may)) - logits[i, step - 1, card])
    assert belief.surprise(state).item() == pytest.approx(np.mean(surprises), rel=1e-4)
