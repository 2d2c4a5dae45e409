"""Players to measure oneself against; `touti_env.agent.load("heuristic")` makes one by its name."""
