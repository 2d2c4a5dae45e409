"""The PettingZoo environment: what each seat is shown, and that it is no more than it may know."""

import random

import numpy as np
import pytest

from tests.envs import choose, is_over, legal, play
from touti_env import IllegalAction, render, touti_v0
from touti_env.aec import AGENTS
from touti_env.core import actions
from touti_env.core.cards import SEATS
from touti_env.core.rules import VARIANTS
from touti_env.core.state import Phase
from touti_env.notation import card_names
from touti_env.observation import SIZE, STATE_SIZE
from touti_env.view import resample


@pytest.mark.parametrize("variant", VARIANTS)
def test_masks_and_observations_at_every_ply(variant) -> None:
    for seed in range(10):
        env, chance = touti_v0.raw_env(variant), random.Random(seed)
        env.reset(seed=seed)
        while not is_over(env):
            check_masks(env)
            env.step(choose(env, chance))
        assert not any(env.observe(agent)["action_mask"].any() for agent in AGENTS)


def check_masks(env) -> None:
    """int8, contiguous, mirrored in the infos, zero off turn, never zero on turn."""
    for agent in env.agents:
        observation = env.observe(agent)
        mask = observation["action_mask"]
        assert observation["observation"].dtype == np.float32
        assert observation["observation"].shape == (SIZE,)
        assert observation in env.observation_space(agent)
        assert mask.dtype == np.int8 and mask.flags.c_contiguous
        assert mask.any() == (agent == env.agent_selection)
        assert (mask == env.infos[agent]["action_mask"]).all()
        if mask.any():
            assert mask[env.action_space(agent).sample(mask)] == 1
    nothing, *_, info = env.last(observe=False)
    assert nothing is None and info["action_mask"].any()


def test_state_is_in_its_space_and_knows_all() -> None:
    env = touti_v0.env()
    env.reset(seed=1)
    play(env, random.Random(1), 20)
    state = env.state()
    assert state.shape == (STATE_SIZE,) and state in env.state_space
    assert (state[:SIZE] == env.observe("player_0")["observation"]).all()


def test_what_was_handed_out_never_changes_nor_changes_the_game() -> None:
    env = touti_v0.raw_env(episode="match", max_deals=2)
    env.reset(seed=5)
    chance, kept = random.Random(5), []
    while not is_over(env):
        handed = [env.observe(agent) for agent in AGENTS]
        handed += [{"info": env.infos[agent]["action_mask"]} for agent in AGENTS]
        kept += [(array, array.tobytes()) for one in handed for array in one.values()]
        kept.append((env.state(), env.state().tobytes()))
        env.step(choose(env, chance))
    assert all(array.tobytes() == before for array, before in kept)

    env.reset(seed=5)
    allowed = legal(env)
    forbidden = next(action for action in range(72) if action not in allowed)
    env.observe(env.agent_selection)["action_mask"][:] = 1
    env.infos[env.agent_selection]["action_mask"][:] = 1
    with pytest.raises(IllegalAction):
        env.step(forbidden)


def replay(env, other, history, viewer) -> None:
    """Play `history` in `other`, as far as `viewer` saw it; asked something hidden, it declines.

    `history` holds (seat, action, phase). What the declaring team did not hear is left out.
    """
    declarer = -1
    for seat, action, phase in history:
        if phase == Phase.GHNA and action == actions.SKIP:
            continue
        if phase == Phase.TRUMP:
            declarer = seat
        talk = phase == Phase.ANSWER or action == actions.CONCEDE
        if talk and (viewer ^ declarer) & 1 == 0:
            continue
        decline(other, None if phase != Phase.GHNA else seat)
        assert other.agent_selection == AGENTS[seat]
        other.step(action)
    publicly_mine = env.agent_selection == AGENTS[viewer]
    decline(other, viewer if publicly_mine and phase_of(env) == Phase.GHNA else None)


def decline(env, but: int | None) -> None:
    """Decline every Ghna asked, but at seat `but`."""
    while not is_over(env) and phase_of(env) == Phase.GHNA:
        if env.agent_selection == (None if but is None else AGENTS[but]):
            return
        env.step(actions.SKIP)


def phase_of(env) -> Phase:
    """The phase, as the acting seat knows it."""
    return Phase(env.view(env.agent_selection).phase)


def public_part(env, viewer: int) -> list[object]:
    """All that `viewer` is shown; the mask and info where its turn is no secret."""
    agent = AGENTS[viewer]
    shown: list[object] = [env.observe(agent)["observation"].tobytes()]
    shown.append(render.text(env.view(agent)))
    if phase_of(env) not in (Phase.GHNA, Phase.ANSWER) or env.agent_selection == agent:
        info = {**env.infos[agent]}
        shown += [env.observe(agent)["action_mask"].tobytes(), info.pop("action_mask").tobytes()]
        shown.append(sorted(info.items()))
    return shown


@pytest.mark.parametrize("variant", VARIANTS)
def test_shuffling_what_a_seat_cannot_see_changes_nothing_for_it(variant) -> None:
    rng = np.random.default_rng(0)
    for seed in range(25):
        env, chance, history = touti_v0.raw_env(variant), random.Random(seed), []
        env.reset(seed=seed, options={"score": (130, 250)})
        while not is_over(env):
            if chance.random() < 0.3:
                shuffle_and_compare(env, history, chance.randrange(SEATS), rng)
            seat, phase = AGENTS.index(env.agent_selection), phase_of(env)
            history.append((seat, choose(env, chance), phase))
            env.step(history[-1][1])


def shuffle_and_compare(env, history, viewer, rng) -> None:
    view = env.view(AGENTS[viewer])
    full = resample(view, rng)
    hands = [card_names(int(mask)) for mask in full.dealt]
    other = touti_v0.raw_env(env.options.rules)
    other.reset(seed=int(rng.integers(2**62)))
    score = tuple(int(points) for points in full.score)
    other.reset(options={"hands": hands, "dealer": int(full.dealer), "score": score})
    replay(env, other, history, viewer)
    assert public_part(env, viewer)[:2] == public_part(other, viewer)[:2]
    hidden = (Phase.GHNA, Phase.ANSWER)
    if env.agent_selection == AGENTS[viewer] or phase_of(env) not in hidden:
        assert public_part(env, viewer) == public_part(other, viewer)


def test_infos_of_a_deals_end_wait_for_the_seats_next_turn() -> None:
    env, chance = touti_v0.env(episode="match"), random.Random(2)
    env.reset(seed=2)
    told: dict[str, list[int]] = {agent: [] for agent in AGENTS}
    for agent in env.agent_iter():
        *_, terminated, truncated, info = env.last()
        if "deals" in info:
            assert set(info) == {
                *("action_mask", "contract", "points", "total", "scored", "score", "deals")
            }
            told[agent].append(info["deals"])
        env.step(None if terminated or truncated else choose(env, chance))
    number = told["player_0"][-1]
    assert number > 1
    assert all(told[agent] == list(range(1, number + 1)) for agent in AGENTS)
