"""Threads that learn as one: the same weights as one thread and a plain optimiser would have."""

import os

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from agents.crew import Crew, Weights  # noqa: E402

STEPS, ROWS, MAX_NORM = 5, 24, 0.1


def networks() -> list[nn.Module]:
    """Two small networks, of weights that are always the same."""
    torch.manual_seed(1)
    return [nn.Sequential(nn.Linear(6, 9), nn.ReLU(), nn.Linear(9, 2)), nn.Linear(6, 1)]


def loss_of(actor: nn.Module, critic: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return actor(x).square().sum() + (critic(x) - 3).square().sum()


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
def test_threads_do_what_one_optimiser_does(threads: int) -> None:
    data = torch.randn(STEPS, ROWS, 6, generator=torch.Generator().manual_seed(2))

    plain = networks()
    optimizer = torch.optim.Adam([p for net in plain for p in net.parameters()], 0.01, eps=1e-5)
    for x in data:
        optimizer.zero_grad()
        loss_of(plain[0], plain[1], x).backward()
        for net in plain:
            nn.utils.clip_grad_norm_(net.parameters(), MAX_NORM)
        optimizer.step()

    shared, crew = networks(), Crew(threads)
    weights = Weights(shared, crew)

    def learn(thread: int) -> None:
        for x in data:
            loss_of(*weights.copies[thread], x.tensor_split(threads)[thread]).backward()
            weights.step(thread, 0.01, MAX_NORM)

    crew.run(learn)
    crew.close()
    for net, other in zip(plain, shared, strict=True):
        for p, q in zip(net.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-5)


def test_what_optimisers_remember_fits_any_number_of_threads() -> None:
    data = torch.randn(2 * STEPS, ROWS, 6, generator=torch.Generator().manual_seed(2))

    def learn(weights: Weights, x: torch.Tensor) -> None:
        def work(thread: int) -> None:
            part = x.tensor_split(weights.crew.threads)[thread]
            loss_of(*weights.copies[thread], part).backward()
            weights.step(thread, 0.01, MAX_NORM)

        weights.crew.run(work)

    crews = [Crew(1), Crew(3)]
    whole, moved = (Weights(networks(), crew) for crew in crews)
    assert moved.state_dict() == {}
    for x in data[:STEPS]:
        learn(whole, x)
    moved.vector.copy_(whole.vector)
    moved.load_state_dict(whole.state_dict())
    for x in data[STEPS:]:
        learn(whole, x)
        learn(moved, x)
    torch.testing.assert_close(whole.vector, moved.vector, rtol=1e-4, atol=1e-5)
    for crew in crews:
        crew.close()


def test_a_thread_that_fails_stops_all_and_is_heard() -> None:
    crew = Crew(3)

    def work(thread: int) -> None:
        if thread == 2:
            raise ZeroDivisionError("the cause")
        crew.meet()

    with pytest.raises(ZeroDivisionError, match="the cause"):
        crew.run(work)
    crew.close()


def test_results_come_in_the_order_of_the_threads() -> None:
    crew = Crew(4)
    assert crew.run(lambda thread: thread * thread) == [0, 1, 4, 9]
    crew.close()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads cannot be placed here")
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_share_no_core_and_leave_none(threads: int) -> None:
    all_cores = os.sched_getaffinity(0)
    crew = Crew(threads)

    def cores(_: int) -> set[int]:
        crew.meet()  # so that each piece has a thread of its own
        return os.sched_getaffinity(0)

    given = crew.run(cores)
    if threads <= len(all_cores):
        assert sorted(core for each in given for core in each) == sorted(all_cores)
    else:
        assert all(len(each) == 1 for each in given)
    assert os.sched_getaffinity(0) == all_cores
    crew.close()
