"""What other libraries need to be given so that they play Touti right; each file needs its extra.

Nothing here is imported with the package: `from touti_env.adapters import torchrl`, and so on.
"""
