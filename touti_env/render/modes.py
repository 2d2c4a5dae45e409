"""What PettingZoo and Gymnasium call render modes: how a state is shown, by name."""

from __future__ import annotations

from ..core.state import State
from . import pixels
from .pixels import Pixels
from .table import svg
from .words import text

MODES = ("human", "ansi", "svg", "rgb_array")


def check(mode: str | None) -> str | None:
    """The mode, if there is such a one and it works here.

    Raises:
        ImportError: `rgb_array` needs the extra `[rgb]`.
        ValueError: There is no such mode.
    """
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode is {mode!r}; valid are {', '.join(MODES)}, None")
    if mode == "rgb_array":
        pixels.require()
    return mode


def show(state: State, mode: str) -> str | Pixels | None:
    """A state or a view in one of the modes.

    Returns:
        `ansi`: plain text; `svg`: an SVG document; `rgb_array`: uint8[640, 960, 3]; `human`: None,
        since the text is printed.
    """
    if mode == "ansi":
        return text(state)
    if mode == "svg":
        return svg(state)
    if mode == "rgb_array":
        return pixels.rgb(svg(state))
    print(text(state), end="\n\n")
    return None
