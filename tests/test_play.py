"""A match at the terminal: what is said and asked, and what is typed."""

import io
import os
import pty
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import touti_env
from tests.tables import ending, say, table, walk, walked
from touti_env import Game, IllegalAction, agent, cli, records, resample, terminal, view
from touti_env.cli.play import Table
from touti_env.core.state import Phase
from touti_env.terminal import Console

UNIFORM = agent.load("uniform")
SUITS = {"O": "oros", "C": "copas", "E": "espadas", "B": "bastos"}


@pytest.fixture
def play(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(typed: str, *options: str, status: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed.replace(" / ", "\n") + "\n"))
        assert cli.main(["play", "--seed", "7", *options]) == status
        output = capsys.readouterr()
        return output.err if status else output.out

    return run


def squeezed(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


# What is shown.


@pytest.mark.parametrize("seed", range(12))
def test_the_news_is_all_that_the_seat_learns(seed):
    """Every call, card, Ghna and outcome is told once, nothing hidden ever (§10)."""
    game, chance = Game("full", seed=seed), random.Random(seed)
    told = {seat: [] for seat in range(4)}
    for word in walk(game, chance):
        before = [view(game.state, seat) for seat in range(4)]
        actor, phase, twin = game.seat, game.phase, game.clone()
        twin.push(word)
        for seat in range(4):
            lines = terminal.news(before[seat], view(twin.state, seat))
            told[seat] += lines
            text = " ".join(lines)
            name = "you" if seat == actor else f"seat {actor}"
            if phase == Phase.GHNA and word == "no ghna":
                assert lines == []
            elif phase == Phase.ANSWER or word == "concede":
                defender = (seat ^ int(game.state.declarer)) & 1
                over = twin.deal_over
                assert (lines != []) == (bool(defender) or over)
            elif phase == Phase.SIGNAL:
                assert text.startswith(f"{name}, to the partner: {word}")
            elif phase != Phase.TRUMP:
                assert text.startswith(f"{name}: {word}")
            else:
                assert (
                    text
                    == f"trump: {dict(zip('OCEB', terminal.SUIT_NAMES, strict=True))[word[-1]]}"
                )
    for seat in range(4):
        cards = re.findall(r": (\d+[OCEB])(?:$| )", "\n".join(told[seat]), re.MULTILINE)
        assert len(cards) == game.state.played


@pytest.mark.parametrize("seed", range(40))
def test_nothing_hidden_is_shown(seed):
    """What is shown is the same on any full state that fits the view."""
    game = walked("full", seed, seed)
    if game.deal_over:
        return
    seen = view(game.state, game.seat)
    other = view(resample(seen, np.random.default_rng(seed)), game.seat)
    for show in (terminal.situation, terminal.hint):
        assert show(seen) == show(other)


def test_the_situation_of_a_player():
    game = table("70 pass pass silent pass trump C")
    game.push("3O")
    text = terminal.situation(view(game.state, 2))
    assert text.splitlines() == [
        "  contract 70 by seat 1, trump copas; card points 0:0, Ghna 0",
        "  on the table: seat 1 3O",
        "  your hand: 11O 6O 10C 7C 2C 3E 6E 12B 11B 5B",
        "  you may play: 6O 11O",
    ]


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("", "you may say: 70"),
        ("70 pass pass", "your partner is to speak; you may signal: AS COMPTE +10 stop silent"),
        ("70 pass pass silent pass", "you name trump: trump O trump C trump E trump B"),
    ],
)
def test_what_is_asked(said, asks):
    game = table(said)
    assert asks in terminal.situation(view(game.state, game.seat))


def test_a_ghna_and_a_concession_are_asked():
    hands = ["1B 12C 11C", "2B 3O 4O", "4B 5O 6O", "5B 7O 10O"]
    game = say(ending(hands, contract=100), "1B 2B 4B 5B")
    assert "you may declare: ghna C no ghna" in terminal.situation(view(game.state, 0))
    before = view(game.state, 1)
    game.push("ghna C")
    assert terminal.news(before, view(game.state, 1)) == ["seat 0: ghna C (Ghna of the team: 40)"]
    hands = ["1B 12C 2O", "2B 3O 4O", "4B 5O 6O", "5B 7O 10O"]
    game = say(ending(hands, contract=100, leader=1, rules="full"), "concede")
    assert "your partner proposes to give up; you may: refuse concede" in squeezed(
        terminal.situation(view(game.state, 3))
    )


def test_a_hint_tells_what_is_known():
    game = table("70 pass pass silent pass trump B")
    say(game, "3O 6O 4O 1O 12O")
    assert terminal.hint(view(game.state, 1), UNIFORM).splitlines() == [
        "  unseen, oros: 11O 7O 5O",
        "  unseen, copas: 3C 12C 10C 7C 6C 4C 2C",
        "  unseen, espadas: 1E 3E 11E 10E 6E 5E 4E 2E",
        "  unseen, bastos: 3B 12B 11B 10B 7B 6B 5B 2B",
        "  contract 70, Ghna up to 0; the declaring team has 0 in cards, 0 in Ghna",
        "  uniform would choose: 2O 50%, 10O 50%",
    ]


def test_a_void_is_known():
    game = ending(["1O 2E", "2C 4E", "5B 5E", "7O 6E"], trump="C")
    say(game, "1O 2C")
    assert "seat 1: no oros" in terminal.hint(view(game.state, 2))


# What is typed.


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("O3", "'O3' is no word here; did you mean 3O?"),
        ("3 o", "'3 o' is no word here; did you mean 3O?"),
        ("30", "'30' is no word here; did you mean 3O?"),
        ("tea", "'tea' is no word here; legal: 3O"),
        (
            "4O",
            "4O is not legal for seat 0: it can beat 5O, the best card of the suit led, and must",
        ),
        ("5B", "5B is not legal for seat 0: it holds 3O 4O of the suit led and must follow (§6.2)"),
        ("1O", "1O is not legal for seat 0: it does not hold 1O"),
        ("80", "80 is not legal for seat 0: it is its turn to play a card (§6.1)"),
        ("why", "why what? For example: why 3O"),
        ("why tea", "'tea' is no word of the play phase"),
        (
            "why 99",
            "a card, such as 1O, is valid: a rank of 1 2 3 4 5 6 7 10 11 12 and",
        ),
        ("WHY 3o", "3O is legal"),
        ("why 5B", "5B is not legal for seat 0: it holds 3O 4O of the suit led and must follow"),
        ("?", "Type one of the legal words"),
        ("hand", "your hand: 3O 4O"),
        ("table", "trick 1, seat 3 led: 5O"),
        ("save", "save under what name?"),
        ("save no/such/file", "cannot be written: No such file or directory"),
    ],
)
def test_mistakes_and_questions_are_answered(play, typed, message):
    """Seat 3 has led 5O, and 3O is the only card that beats it and is held."""
    assert message in squeezed(play(f"80 / pass / {typed}"))


def test_an_empty_line_plays_the_only_legal_card(play):
    text = play("80 / pass / ")
    assert "you: 3O" in text
    assert "type one of the legal words" in play("")


def test_words_in_any_case(play):
    assert "you: AS" in play("as")


def test_the_end_of_the_input_ends_the_game_cleanly(play):
    assert play("pass").endswith("seat 0> \nYou leave the table at 0:0.\n")
    assert play("quit / pass").endswith("You leave the table at 0:0.\n")


def test_undo_returns_to_the_decision_before(play):
    text = play("undo / 80 / pass / undo / undo / undo / 90")
    assert text.count("there is nothing to undo") == 2
    assert text.count("taken back") == 2
    assert text.splitlines()[-2].startswith("seat 0>")
    assert "you: 90" in text


def test_a_match_is_saved_and_resumed(play, tmp_path):
    text = play("80 / save mine.jsonl / pass / 3O / save", "--partner", "sane")
    assert "saved; `touti play --resume mine.jsonl` goes on" in text
    [deal] = records.load("mine.jsonl")
    assert deal.agents == ("human", "heuristic", "sane", "heuristic")
    text = play("undo / quit", "--resume", "mine.jsonl")
    assert "seat 0 said: 80 pass" in text
    assert "taken back" in text
    assert text.startswith("You are seat 0; seat 1 heuristic, seat 2 sane (your partner)")
    text = play("quit", "--resume", "mine.jsonl", "--partner", "uniform")
    assert "seat 2 uniform (your partner), seat 3 heuristic" in squeezed(text)
    assert "mine.jsonl is there already" in play("save mine.jsonl")
    assert play("quit", "--resume", "mine.jsonl", "--seat", "2").startswith("You are seat 2")
    other = replace(deal, agents=("human", "mine", "sane", "sane"))
    records.dump([other], "other.jsonl")
    error = play("", "--resume", "other.jsonl", status=1)
    assert "the match was played with 'mine', which cannot be called in" in error
    assert play("quit", "--resume", "other.jsonl", "--opponents", "sane").startswith("You are")
    (tmp_path / "x.jsonl").write_text("x\n")
    assert "x.jsonl, line 1: not a line of JSON" in play("", "--resume", "x.jsonl", status=1)
    assert "cannot be read: No such file" in play("", "--resume", "y.jsonl", status=1)


def at_random(table: Table, chance: random.Random) -> str:
    """What somebody types who asks before every other answer, and takes some back."""
    word = chance.choice(table.game.legal_words())
    if chance.random() < 0.5:
        return chance.choice(["hint", "table", "hand", "help", f"why {word}", "undo", "tea"])
    return word


@pytest.mark.parametrize(("seed", "rules"), [(1, "standard"), (2, "full"), (3, "plain")])
def test_whole_matches_in_80_columns(seed, rules):
    chance = random.Random(seed)
    console = Console(io.StringIO(), io.StringIO())
    table = Table(Game(rules, seed=seed), [agent.load("heuristic")] * 4, seed, console)
    ask = console.ask

    def answer(prompt: str) -> str:
        console.source = io.StringIO(f"{at_random(table, chance)}\n")
        return ask(prompt)

    console.ask = answer
    table.play()
    text = console.target.getvalue()
    assert re.search(r"The match is over, \d+:\d+: (your team has|the opponents have) won\.", text)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert "\x1b" not in text


# Colour.


def on_a_terminal(tmp_path, **environment: str) -> str:
    """What `touti play` writes to a terminal."""
    master, slave = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "touti_env", "play", "--seed", "7"],
        stdin=subprocess.PIPE,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env={
            **{k: v for k, v in os.environ.items() if k != "NO_COLOR"},
            "TERM": "xterm",
            "PYTHONPATH": str(Path(touti_env.__file__).parent.parent),
            **environment,
        },
    )
    os.close(slave)
    run.stdin.close()
    parts = []
    try:
        while part := os.read(master, 65536):
            parts.append(part)
    except OSError:  # how Linux says that the other end is closed
        pass
    assert run.wait() == 0
    os.close(master)
    return b"".join(parts).decode()


def test_colour_is_for_terminals_that_want_it(tmp_path, play):
    coloured = on_a_terminal(tmp_path)
    assert "\x1b[33m3O\x1b[0m" in coloured
    plain = re.sub(r"\x1b\[\d+m", "", coloured)
    assert on_a_terminal(tmp_path, NO_COLOR="1") == plain
    assert on_a_terminal(tmp_path, TERM="dumb") == plain
    assert "\x1b" not in play("")


# A person as an agent.


def test_a_person_is_an_agent():
    target = io.StringIO()
    console = Console(io.StringIO("tea\nhint\n80\n"), target)
    person = agent.load("human")
    person.console, person.adviser = console, UNIFORM
    game = table()
    assert person.act(view(game.state, 1)) == 41
    text = target.getvalue()
    assert "as seat 1 sees it" in text
    assert "'tea' is no word here" in text
    assert "uniform would choose" in text
    with pytest.raises(EOFError):
        person.act(view(game.state, 1))


def test_a_person_who_leaves_ends_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO("pass\n"))
    path = tmp_path / "mine.jsonl"
    assert cli.main(["record", "human", "-o", str(path), "--deals", "1"]) == 1
    assert "touti: the input has ended" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_understood_is_an_illegal_action():
    with pytest.raises(IllegalAction, match="type one of the legal words"):
        terminal.understand(view(table().state, 1), "")
