"""Random endings, rich in Ghna: for tests that compare one answer with another."""

import random

from tests.tables import ending
from touti_env import Game
from touti_env.core.cards import CARDS, SEATS
from touti_env.core.state import OVER
from touti_env.notation import card_names

CONTRACTS = (70, 80, 90, 100, 140)


def random_ending(chance: random.Random, size: int, rules="standard") -> Game:
    """Every seat has at most `size` cards; some lie on the table, or a Ghna is asked."""
    cards = list(range(CARDS))
    chance.shuffle(cards)
    declarer = chance.randrange(SEATS)
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    for suit in chance.sample(range(4), chance.randrange(5)):
        hand = hands[(declarer + 2 * chance.randrange(2)) % SEATS]
        if len(hand) + 2 <= size:
            hand += [suit * 10 + 6, suit * 10 + 7]
    for hand in hands:
        cards = [card for card in cards if card not in hand]
    for hand in hands:
        while len(hand) < size:
            hand.append(cards.pop())
    contract = chance.choice(CONTRACTS)
    trump = chance.choice("OCEB")
    words = [" ".join(card_names(sum(1 << card for card in hand))) for hand in hands]
    game = ending(
        words,
        trump=trump,
        contract=contract,
        declarer=declarer,
        leader=chance.randrange(SEATS),
        taken=None if chance.random() < 0.5 else 0,
        rules=rules,
    )
    for _ in range(chance.randrange(6)):
        legal = game.legal_actions()
        if game.state.phase != OVER and (len(legal) > 1 or game.state.played < CARDS - SEATS):
            game.push(chance.choice(legal))
    return game
