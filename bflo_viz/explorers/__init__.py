"""Instruments to be moved by hand: the Python state of each beside the module that draws it in the browser."""
