"""What a policy is worth and how it plays, as numbers for the log of its run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import torch

from touti_env import agent, arena, diagnostics
from touti_env.agent import Agent
from touti_env.core.state import Phase
from touti_env.results import CONTRACTS, Match

from .rollout import Experience, learned


def numbers(match: Match) -> dict[str, float]:
    """By how much its first agent leads, the standard error, and what it did: see `diagnostics`."""
    did = diagnostics.summary(match.agents[0])
    return {
        "mean": match.mean,
        "standard_error": match.standard_error,
        **{name: round(share, 4) for name, share in did.items()},
    }


def in_short(evaluation: dict[str, float]) -> str:
    """`numbers` as a few words."""
    text = f"{evaluation['mean']:+.1f} ± {evaluation['standard_error']:.1f} points a deal"
    if "made" not in evaluation:
        return text
    contract = sum(level * evaluation[f"contracts/{level}"] for level in CONTRACTS)
    return f"{text}, makes {evaluation['made']:.0%} of contracts of {contract:.0f}"


SEARCHING = "searcher?since=6&judge=solver&file="
"""A policy whose last tricks are counted out, in a fraction of a millisecond a decision."""


def final(
    learner: Agent,
    baselines: Sequence[str],
    deals: int,
    rules: str,
    file: Path | None = None,
) -> dict[str, dict[str, float]]:
    """Print what the end of a run shows; the same by name, and what it costs to be `muted`.

    Below it stands, beside the package's net, what the learner scores against the last baseline;
    and what the policy of its `file`, if that can read the table, scores when it searches, on a
    quarter of the deals.
    """
    play = partial(arena.duplicate, seed=1, rules=rules)
    matches = {}
    for name in baselines:
        matches[name] = play(learner, agent.load(name), deals)
        print(matches[name].table(), end="\n\n")
    muted = diagnostics.muting(learner, deals, seed=1, rules=rules)
    low, high = muted.interval
    print(
        f"muting one team costs it {muted.mean:.2f} points a deal; "
        f"95% interval {low:+.2f} to {high:+.2f}",
        end="\n\n",
    )
    name = baselines[-1]
    yardstick = agent.load(name)
    shipped = play(agent.load("net"), yardstick, deals)
    rows = {learner.name: matches[name], "the package's net": shipped}
    if file is not None:
        searcher = agent.load(f"{SEARCHING}{file}")
        matches["searching"] = rows["searching"] = play(searcher, yardstick, max(deals // 4, 2))
    print(f"points a deal against {name}, from the first of the same deals on")
    for name, match in rows.items():
        low, high = match.interval
        spread = f"{match.mean:+.1f} ± {match.standard_error:.1f}, 95% {low:+.1f} to {high:+.1f}"
        print(f"  {name:20}  {spread}, {match.deals:,} deals")
    if file is not None:
        print(f"searching: {SEARCHING}{file}")
    print()
    return {name: numbers(match) for name, match in matches.items()} | {
        "muted": {"mean": muted.mean, "standard_error": muted.standard_error}
    }


def by_phase(experiences: Sequence[Experience]) -> dict[str, float]:
    """The policy's entropy and the variance that the critic explains, for each kind of decision.

    The entropy is taken as the mean surprise at what was drawn, which costs nothing and is the same
    on average. A phase without decisions is left out, and so is what cannot vary.
    """

    def sums(values: torch.Tensor | None = None) -> torch.Tensor:
        return torch.bincount(phase, values, minlength=len(Phase)).double()

    def variances(values: torch.Tensor) -> list[float]:
        means = sums(values) / number
        return (sums((values - means[phase]) ** 2) / number).tolist()

    phase, log_prob, advantage, returns = (
        learned(experiences, name) for name in ("phase", "log_prob", "advantage", "returns")
    )
    number = sums()
    entropy = (sums(-log_prob) / number).tolist()
    left, whole = variances(advantage), variances(returns)
    stats = {}
    for kind in Phase:
        if number[kind] > 0:
            stats[f"entropy/{kind.name.lower()}"] = round(entropy[kind], 4)
        if whole[kind] > 0:
            explained = 1 - left[kind] / whole[kind]
            stats[f"explained_variance/{kind.name.lower()}"] = round(explained, 4)
    return stats
