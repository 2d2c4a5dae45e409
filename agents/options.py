"""What a training run can be told: every option, its default, and what it means."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from touti_env.core.cards import HAND_SIZE
from touti_env.core.rules import VARIANTS
from touti_env.options import EnvOptions

PRECISIONS = ("auto", "float32", "bfloat16")
NEVER = HAND_SIZE + 1
"""No trick has this number."""


@dataclass(frozen=True)
class Args:
    """Options of a run: these defaults, over them `--config FILE`, over that the flags."""

    name: str = "default"
    """The run's files are in runs/NAME."""
    resume: bool = False
    """Go on from the run's checkpoint instead of beginning."""
    seed: int = 1
    """Of the deals, the weights and every choice."""
    rules: str = "standard"
    """The variant played."""
    episode: str = "deal"
    """What is played for: each deal by itself, or a whole match with its score in view."""
    reward: str = "score"
    """Score: the contract, at the end of each deal; win: 1, at the end of the episode."""
    max_deals: int | None = None
    """A match is cut short after so many deals."""
    reward_scale: float = 1.0
    """What is paid is multiplied by it."""
    canonical_suits: bool = True
    """Each seat sees the suits in its canonical order, not in the table's."""

    updates: int = 150
    """How often experience is collected and learned from."""
    num_envs: int = 2048
    """Games in lockstep."""
    num_steps: int = 48
    """Actions in each game between updates."""
    threads: int = 2
    """Each plays its share of the games and learns its share of every minibatch."""
    device: str = "cpu"
    """Where networks and experience are: cpu, cuda, cuda:N, or auto: a GPU if there is one."""
    precision: str = "auto"
    """Of the networks' inner layers: float32, bfloat16, or auto: whichever is the faster here."""

    start: str | None = None
    """A policy file to begin from. Nothing is imitated then: while it plays, the critic learns."""
    clone_updates: int = 40
    """How many batches of the rule bot's play are imitated first."""
    clone_epochs: int = 1
    """Passes over each of them."""
    clone_learning_rate: float = 1e-3
    """Adam's step size while imitating."""

    actor_hidden: tuple[int, ...] = (256, 256)
    """Widths of the actor's layers."""
    critic_hidden: tuple[int, ...] = (256, 256)
    """Widths of the critic's layers."""
    critic_sees_all: bool = True
    """The critic is shown all four hands; otherwise what its seat may know."""
    learning_rate: float = 3e-4
    """Adam's step size at the beginning of PPO."""
    learning_rate_end: float = 1e-5
    """At its end; linear between."""
    gamma: float = 1.0
    """Discount from one of a seat's decisions to its next."""
    gae_lambda: float = 0.9
    """How far advantage estimates look before they trust the critic."""
    normalise_by_phase: bool = False
    """Advantages get mean 0 and deviation 1 in each phase, not only over all."""
    num_minibatches: int = 32
    """Minibatches in a pass over an update's experience."""
    update_epochs: int = 2
    """Passes over an update's experience."""
    clip_coef: float = 0.2
    """PPO's bound on the probability ratio."""
    ent_coef: float = 0.003
    """Entropy bonus at the beginning."""
    ent_coef_end: float = 0.0005
    """At the end; linear between."""
    vf_coef: float = 0.5
    """Weight of the critic's loss."""
    max_grad_norm: float = 0.5
    """Gradients are clipped to this norm."""

    solver_since: int = 6
    """From this trick on the actor is also shown which cards the solver finds right; 11: never."""
    solver_coef: float = 5.0
    """Weight of the loss that makes it choose one of them."""

    past_share: float = 0.25
    """Deals in which the other team is a past self."""
    bot_share: float = 0.15
    """Deals in which the other team is `bot`."""
    bot: str = "heuristic"
    """The agent that is met there, and in evaluations."""
    pool_size: int = 20
    """Past selves kept."""
    pool_every: int = 5
    """Updates between them."""

    belief_updates: int = 20
    """At the end: how many batches of the policy's play are read for who holds what."""
    belief_hidden: tuple[int, ...] = (256, 256)
    """Widths of the layers that learn it."""
    belief_learning_rate: float = 1e-3
    """Adam's step size there, falling to 0."""

    eval_every: int = 15
    """Updates between evaluations."""
    eval_deals: int = 1000
    """Duplicate deals of an evaluation."""
    final_deals: int = 4000
    """Duplicate deals of each match of the final table."""
    save_every: int = 15
    """Updates between checkpoints; one is always written at the end and on an interrupt."""
    tensorboard: bool = False
    """Write the log for TensorBoard too, into the run's folder; needs the extra [tensorboard]."""
    wandb: str | None = None
    """Send the log to this project of Weights & Biases too; needs the extra [wandb]."""

    def __post_init__(self) -> None:
        """Refuse numbers that cannot be meant.

        Raises:
            ValueError: A number is out of its range.
        """
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in ("seed", "updates", "clone_updates", "belief_updates") else 1
            if type(value) is int and value < least:
                raise ValueError(f"{field.name} is {value}; {least} or more is valid")
            if type(value) is float and not 0 <= value < math.inf:
                raise ValueError(f"{field.name} is {value}; a number of 0 or more is valid")
        if self.rules not in VARIANTS:
            raise ValueError(f"rules is {self.rules!r}; valid are {', '.join(VARIANTS)}")
        EnvOptions(episode=self.episode, reward=self.reward, max_deals=self.max_deals)
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is {self.precision!r}; valid are {', '.join(PRECISIONS)}")
        # Half of what is collected, or more, is the learner's own.
        most = self.num_envs * self.num_steps // (4 * self.threads)
        if self.num_minibatches > most:
            raise ValueError(f"num_minibatches is {self.num_minibatches}; 1 to {most} is valid")
        if self.num_envs % self.threads:
            raise ValueError(f"num_envs is {self.num_envs}; a multiple of threads is valid")
        if self.solver_since > NEVER:
            raise ValueError(f"solver_since is {self.solver_since}; 1 to {NEVER} is valid")
        if self.reward_scale <= 0:
            raise ValueError(f"reward_scale is {self.reward_scale}; a number above 0 is valid")
        if not 0 <= self.past_share <= 1 - self.bot_share <= 1:
            raise ValueError("past_share and bot_share are parts of 1")
