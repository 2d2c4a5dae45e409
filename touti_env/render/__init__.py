"""Pictures of a game as pure functions of a view or a state: what is blank in it is not shown.

| function | what it makes |
|---|---|
| `text(state)` | the table in plain text |
| `svg(state, below=None)` | the table as an SVG document |
| `html(state)` | the table as an HTML section: the picture and the words |
| `rgb(picture)` | an SVG document as pixels; needs the extra `[rgb]` |
| `show(state, mode)` | whichever of them a render mode asks for |

The cards by themselves are in `touti_env.render.deck`.
"""

from .modes import MODES, check, show
from .page import html
from .pixels import Pixels, rgb
from .table import svg
from .words import text

__all__ = ["MODES", "Pixels", "check", "html", "rgb", "show", "svg", "text"]
