"""The cards and the table as pictures: told apart by anybody, hiding what is hidden."""

import random
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import gymnasium
import numpy as np
import pytest

from tests.reference import DECK
from tests.tables import a_word, table, walked
from touti_env import Game, SingleEnv, render, touti_v0, view
from touti_env.core.cards import CARDS
from touti_env.notation import SUIT_NAMES, card_name
from touti_env.render import deck, glyphs, pixels

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawn():
    """Pixels of a picture."""
    pytest.importorskip("resvg_py", reason="pixels need the extra [rgb]")
    return render.rgb


def elements(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter())


def ids_used(picture: str) -> list[str]:
    """The symbols placed in a picture, those inside other symbols left out."""
    root = ElementTree.fromstring(picture)
    return [element.attrib["href"][1:] for element in root if element.tag == f"{SVG}use"]


def light(colour: str) -> np.ndarray:
    """Linear RGB of `#rrggbb`, by the sRGB standard."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as WCAG 2 defines it."""
    bright, dark = sorted((light(c) @ (0.2126, 0.7152, 0.0722) for c in (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB."""
    to_xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
    x, y, z = (to_xyz @ np.clip(rgb, 0, 1)) / (0.9505, 1, 1.089)
    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# What linear RGB becomes without one kind of cone (Machado, Oliveira and Fernandes 2009).
VISIONS = {
    "all cones": np.eye(3),
    "no long": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no middle": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no short": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


@pytest.mark.parametrize("colour", deck.COLOURS)
def test_ink_stands_out_from_paper(colour):
    assert contrast(colour, deck.PAPER) >= 3.9


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize(("one", "other"), list(combinations(deck.COLOURS, 2)))
def test_suits_stay_apart_for_every_eye(vision, one, other):
    seen = [lab(VISIONS[vision] @ light(colour)) for colour in (one, other)]
    assert np.linalg.norm(seen[0] - seen[1]) >= 20


def test_compact_cards_differ_in_grey(drawn):
    size = (deck.COMPACT_HEIGHT, deck.COMPACT_WIDTH)
    grey = [
        drawn(deck.picture(card, compact=True)).astype(float) @ (0.2126, 0.7152, 0.0722)
        for card in range(CARDS)
    ]
    assert {picture.shape for picture in grey} == {size}
    differences = [(np.abs(grey[a] - grey[b]) > 64).sum() for a, b in combinations(range(CARDS), 2)]
    assert min(differences) >= 20  # pixels of 1232 that differ by a quarter of black to white


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("card", range(CARDS))
def test_a_card_is_paths_of_its_own(card, compact):
    picture = deck.picture(card, compact=compact)
    tags = {element.tag.removeprefix(SVG) for element in elements(picture)}
    drawing = {"svg", "title", "defs", "symbol", "g", "path", "rect", "circle", "use"}
    assert tags <= drawing
    defined = {e.attrib["id"] for e in elements(picture) if "id" in e.attrib}
    used = {e.attrib["href"][1:] for e in elements(picture) if "href" in e.attrib}
    assert used <= defined
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_the_frame_tells_the_suit():
    """§1.3's pinta: oros unbroken, copas one break, espadas two, bastos three."""
    for suit, name in enumerate(SUIT_NAMES):
        for symbol in (deck.full_card, deck.compact_card):
            picture = symbol(suit * 10)
            frame = re.search(r'<path d="(M[^"]*)" fill="none"', picture)[1]
            pieces = frame.count("h")
            assert pieces == 2 * (suit + 1), name
            assert f"#{name}" in picture


def test_the_sheet_shows_forty_cards():
    assert set(ids_used(deck.sheet())) == DECK
    assert set(ids_used(deck.sheet(compact=True))) == {f"c{card}" for card in DECK}


def test_letters():
    words = "ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 +-/:.,()"
    strokes = glyphs.strokes(words)
    assert strokes.count("M") > len(words)
    assert glyphs.width("", 10) == 0
    assert glyphs.width("80", 14) == pytest.approx(8.6 * 2 + 3.4)
    with pytest.raises(KeyError):
        glyphs.strokes("é")


def shown(picture: str) -> set[str]:
    """The cards placed in a picture."""
    return {name.removeprefix("c") for name in ids_used(picture)} & DECK


def names(cards: int) -> set[str]:
    return {card_name(card) for card in range(CARDS) if cards >> card & 1}


@pytest.mark.parametrize("rules", ["standard", "full", "plain"])
def test_a_picture_shows_what_its_viewer_knows(rules):
    for plies in range(0, 70, 9):
        state = walked(rules, plies, plies).state
        trick = {card_name(card) for card in render.words.trick(state)[2]}
        held = [names(int(mask)) for mask in state.hands]
        played = {card_name(int(card)) for card in state.plays[: state.played]}
        assert shown(render.svg(state)) == trick.union(*held)
        for seat in range(4):
            seen = view(state, seat)
            picture = render.svg(seen)
            assert shown(picture) == trick | held[seat]
            assert ids_used(picture).count("back") == sum(map(len, held)) - len(held[seat])
            for page in (picture, render.html(seen)):
                words = set(re.findall(r"\b(?:1[012]?|[2-7])[OCEB]\b", page))
                assert words <= names(int(state.dealt[seat])) | played


def test_the_viewer_sits_below():
    game = walked("standard", 3, 12)
    for seat in range(4):
        assert render.svg(game.view(seat)) == render.svg(game.view(seat), below=seat)
        assert render.svg(game.state, below=seat) != render.svg(game.state, below=seat ^ 1)
    assert render.svg(game.state) == render.svg(game.state, below=0) == game._repr_svg_()


def test_pictures_are_functions_of_the_state():
    one, other = walked("full", 5, 30), walked("full", 5, 30)
    assert render.svg(one.state) == render.svg(other.state)
    before = one.state.tobytes()
    render.svg(one.state), render.html(one.state), render.text(one.state)
    assert one.state.tobytes() == before


def test_every_picture_is_well_formed_and_says_what_it_shows():
    for seed in range(4):
        game, chance = Game("full", seed=seed), random.Random(seed)
        while True:
            picture = render.svg(game.state)
            root = ElementTree.fromstring(picture)
            assert root.find(f"{SVG}desc").text == str(game)
            assert "<text" not in picture
            page = render.html(game.state)
            assert picture in page
            assert render.words.turn(game.state) in page
            if game.deal_over:
                break
            game.push(a_word(game, chance))


def test_signals_are_drawn_apart_from_bids():
    said = render.svg(table("70 pass pass silent 80 AS").state)
    bubbles = [line for line in said.splitlines() if "stroke-dasharray" in line]
    assert len(bubbles) == 2  # silent at 70, AS at 80
    assert render.svg(table("70 pass pass").state).count("stroke-dasharray") == 0


def test_html_has_hands_auction_tricks_and_ghna():
    game = table("pass 100 silent pass pass trump B 1C 2C 4C 3C")
    page = render.html(game.state)
    for caption in ("Hands", "Auction", "Tricks"):
        assert f"<caption>{caption}</caption>" in page
    assert "<caption>Ghna</caption>" not in page
    assert "<script" not in page
    assert "<caption>Tricks</caption>" not in render.html(Game(seed=1).state)


def test_render_modes_of_the_table(drawn):
    game = Game(seed=6)
    for mode in ("svg", "rgb_array"):
        env = touti_v0.env(render_mode=mode)
        env.reset(seed=6)
        picture = env.render()
        if mode == "svg":
            assert picture == render.svg(game.state)
        else:
            assert (picture.shape, picture.dtype) == ((640, 960, 3), np.uint8)
            assert (picture == drawn(render.svg(game.state))).all()


@pytest.mark.parametrize("mode", ["ansi", "svg"])
def test_the_last_frame_shows_the_end(mode):
    env, chance = touti_v0.env(render_mode=mode), random.Random(2)
    env.reset(seed=2)
    while not any(env.terminations.values()):
        mask = env.last()[4]["action_mask"]
        env.step(chance.choice(np.flatnonzero(mask)))
    assert re.search(r"team \d scores|nobody scores", env.render())
    seat = SingleEnv(partner="uniform", opponents="uniform", render_mode=mode)
    _, info = seat.reset(seed=2)
    over = False
    while not over:
        action = chance.choice(np.flatnonzero(info["action_mask"]))
        _, _, over, _, info = seat.step(action)
    assert re.search(r"team \d scores|nobody scores", seat.render())


def test_frames_make_a_video(tmp_path, drawn):
    pytest.importorskip("moviepy", reason="videos need the extra [rgb]")
    env = SingleEnv(partner="sane", opponents="sane", render_mode="rgb_array")
    video = gymnasium.wrappers.RecordVideo(env, str(tmp_path), fps=1, disable_logger=True)
    _, info = video.reset(seed=3)
    over = False
    while not over:
        _, _, terminated, truncated, info = video.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    last = video.render()
    video.close()
    [film] = tmp_path.glob("*.mp4")
    assert film.stat().st_size > 10_000
    assert (last == drawn(render.svg(env.view()))).all()
    assert "score" in render.text(env.view()).splitlines()[-1]


def test_pixels_without_the_extra(monkeypatch):
    monkeypatch.setattr(pixels, "find_spec", lambda name: None)
    for make in (touti_v0.env, SingleEnv):
        with pytest.raises(
            ImportError, match=r"resvg-py and Pillow: pip install 'touti-env\[rgb\]'"
        ):
            make(render_mode="rgb_array")


def test_human_prints_the_end_of_every_deal(capsys):
    env, chance = (
        touti_v0.raw_env(episode="match", max_deals=3, render_mode="human"),
        random.Random(1),
    )
    env.reset(seed=1)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        mask = env.last()[4]["action_mask"]
        env.step(chance.choice(np.flatnonzero(mask)))
    ends = re.findall(r"^total .*scores \d+$|^nobody bid.*$", capsys.readouterr().out, re.MULTILINE)
    assert len(ends) == 3
