import hypothesis

# The same examples at every run: a failure in CI is a failure here.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("fixed")
