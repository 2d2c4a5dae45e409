"""Training runs that take a second, for the tests of the trainer."""

import json
from pathlib import Path

import train
from agents import config
from agents.options import Args

SMALL = (
    "--num-envs 32 --num-steps 32 --num-minibatches 4 --clone-updates 1 --actor-hidden 32"
    " --critic-hidden 32 --eval-every 2 --eval-deals 20 --final-deals 20 --threads 1"
    " --pool-every 1 --save-every 1 --belief-updates 2 --belief-hidden 16"
).split()


def trained(*flags: str) -> int:
    return train.main([*SMALL, *flags])


def metrics(run: Path) -> list[dict]:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    timed = ("seconds", "decisions_per_second", "collecting")
    return [{key: row[key] for key in row if key not in timed} for row in lines]


def stop_after(updates: int, flags: tuple[str, ...]) -> None:
    """Run as far as `updates`, as if interrupted there, and log one update too many."""
    args = config.parse(Args, [*SMALL, *flags])
    trainer = train.Trainer(args)
    improve = trainer.improve

    def improve_and_stop() -> None:
        improve()
        trainer.interrupted = trainer.update == updates

    trainer.improve = improve_and_stop  # type: ignore[method-assign]
    trainer.run()
    trainer.folder.log({"update": updates + 1, "lost": True})
