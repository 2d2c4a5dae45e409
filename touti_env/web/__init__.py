"""Pages for a browser, each one file that needs no server and no network."""
