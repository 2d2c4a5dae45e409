"""The compiled rulebook: NumPy and Numba only, ints in, ints out, in the order of the game."""
