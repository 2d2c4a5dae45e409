"""The torch side: networks, policies and what train.py needs."""
