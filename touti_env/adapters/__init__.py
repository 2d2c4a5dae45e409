"""Touti for other libraries: a module for each, behind an extra of its own, imported by nothing."""
