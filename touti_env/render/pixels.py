"""An SVG picture as pixels, with no display: needs the extra `[rgb]`."""

from __future__ import annotations

import io
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def require() -> None:
    """Raise unless pixels can be made here.

    Raises:
        ImportError: resvg-py or Pillow is not installed.
    """
    missing = [name for name, module in _NEEDED.items() if find_spec(module) is None]
    if missing:
        raise ImportError(f"rgb_array needs {' and '.join(missing)}: pip install 'touti-env[rgb]'")


_NEEDED = {"resvg-py": "resvg_py", "Pillow": "PIL"}


def rgb(picture: str, width: int | None = None) -> Pixels:
    """An SVG document as uint8[height, width, 3].

    Args:
        picture: As `svg`, `deck.picture` or `deck.sheet` make it.
        width: In pixels; by default the picture's own.

    Raises:
        ImportError: resvg-py or Pillow is not installed.
    """
    require()
    import resvg_py
    from PIL import Image

    # No font is looked for: the pictures have none.
    data = resvg_py.svg_to_bytes(svg_string=picture, width=width, skip_system_fonts=True)
    image = Image.open(io.BytesIO(bytes(data))).convert("RGBA")
    page = Image.new("RGBA", image.size, "white")
    return np.asarray(Image.alpha_composite(page, image).convert("RGB"))
