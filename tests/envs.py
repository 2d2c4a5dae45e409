"""Environments played at random, and read out whole."""

import random

import numpy as np

import touti_env
from touti_env import touti_v0
from touti_env.core import actions

MAKERS = [touti_v0.raw_env, touti_v0.env]


def legal(env) -> list[int]:
    return [int(action) for action in np.flatnonzero(env.infos[env.agent_selection]["action_mask"])]


def is_over(env) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def choose(env, chance: random.Random) -> int:
    """A legal action at random; bids mostly the lowest, few concessions: all endings are met."""
    choices = legal(env)
    if actions.CONCEDE in choices:
        if chance.random() < 0.1:
            return actions.CONCEDE
        choices.remove(actions.CONCEDE)
    higher = [action for action in choices if actions.BID <= action < actions.PASS][1:]
    if chance.random() < 0.8:
        choices = [action for action in choices if action not in higher]
    return chance.choice(choices)


def play(env, chance: random.Random, plies: int = 10_000) -> list[int]:
    """Random play to the end of the episode, or for so many plies."""
    taken = []
    while not is_over(env) and len(taken) < plies:
        taken.append(choose(env, chance))
        env.step(taken[-1])
    return taken


def say(env, text: str) -> None:
    """Step by words: the phase is the acting seat's own."""
    for word in text.split(", "):
        phase = env.unwrapped.view(env.agent_selection).phase
        env.step(touti_env.notation.parse(word, phase))


def seen(env) -> list[object]:
    """All that can be read from an environment, as values to compare."""
    parts: list[object] = [env.agents[:], env.agent_selection]
    for agent in env.agents:
        observation = env.observe(agent)
        info = {**env.infos[agent]}
        masks = observation["action_mask"].tobytes(), info.pop("action_mask").tobytes()
        parts += [observation["observation"].tobytes(), masks, sorted(info.items())]
        parts += [env.rewards[agent], env._cumulative_rewards[agent]]
        parts += [env.terminations[agent], env.truncations[agent]]
    return [*parts, env.state().tobytes()]
