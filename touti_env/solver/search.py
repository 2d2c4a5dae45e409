"""The search: whether the points to come reach a bound. Everything else is asked in these terms.

Alpha-beta with a window of no width. It answers with a value: one that reaches the bound is no more
than the true one, one that does not is no less.
"""

from __future__ import annotations

from ..core._jit import jit
from ..core.cards import CARDS, SEATS, bit, count, lowest
from ..core.play import beats
from .moves import cash, list_moves, pick, twin_value
from .position import Int, Search, declare, decline, play_card
from .table import MOST, probe, store


@jit
def search(s: Search, bound: Int) -> Int:
    """Whether the declaring team gets `bound` more points: a value that does or does not reach it.

    The trick on the table counts as still to come. The position is left as it was found. Once
    `s.stopped` is set the value means nothing.
    """
    fresh = s.place == 0 and s.asked < 0
    if fresh:
        value = known(s, bound)
        if value >= 0:
            return value
        if s.nodes >= s.budget:
            s.stopped = 1
            return 0
    s.nodes += 1
    number = list_moves(s)
    seat, place, led, top, winner, pot = s.seat, s.place, s.led, s.top, s.winner, s.pot
    rest, left, live, cap, asked, ply = s.rest, s.left, s.live, s.cap, s.asked, s.ply
    maximise = (seat ^ s.declaring) & 1 == 0
    best, choice = (-1 if maximise else MOST), -1
    for i in range(number):
        move = pick(s, i, number)
        value = twin_value(s, i, bound, maximise)
        if value < 0:
            gained = make(s, move)
            value = gained + search(s, bound - gained)
            if move < CARDS:
                s.hands[seat] |= bit(move)
            s.seat, s.place, s.led, s.top, s.winner, s.pot = seat, place, led, top, winner, pot
            s.rest, s.left, s.live, s.cap, s.asked, s.ply = rest, left, live, cap, asked, ply
            if s.stopped:
                return 0
        s.values[ply, i] = value
        if value != best and (value > best) == maximise:
            best, choice = value, move
        if (best >= bound) == maximise:
            if number > 1:
                _note_killer(s, choice)
            break
    if fresh:
        store(s, bound, best, choice)
    return best


@jit
def make(s: Search, move: Int) -> Int:
    """Take a move of the list; returns the points that it brings the declaring team."""
    if move < CARDS:
        return play_card(s, move)
    if move < CARDS + SEATS:
        return declare(s, move - CARDS)
    decline(s)
    return 0


@jit
def _note_killer(s: Search, move: Int) -> None:
    """Try `move` early in other positions with as many cards."""
    killers = s.killers[count(s.rest)]
    if killers[0] != move:
        killers[1] = killers[0]
        killers[0] = move


@jit
def known(s: Search, bound: Int) -> Int:
    """What can be said between two tricks without a search; -1 if that does not answer `bound`."""
    if bound <= 0 or s.rest == 0:
        return 0
    if s.hands[s.seat] & (s.hands[s.seat] - 1) == 0:
        return _last_trick(s)
    most = s.left + s.last + s.cap
    if most < bound:
        return most
    value = probe(s, bound)
    if value >= 0:
        return value
    sure = cash(s)
    if (s.seat ^ s.declaring) & 1 == 0:
        return sure if sure >= bound else -1
    return most - sure if most - sure < bound else -1


@jit
def _last_trick(s: Search) -> Int:
    """The points of the tenth trick, in which nobody has a choice."""
    top = winner = -1
    for place in range(SEATS):
        seat = (s.seat + place) % SEATS
        card = lowest(s.hands[seat])
        if place == 0 or beats(card, top, s.trump):
            top, winner = card, seat
    return 0 if (winner ^ s.declaring) & 1 else s.left + s.last
