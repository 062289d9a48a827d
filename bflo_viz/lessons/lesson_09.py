"""Appendix: the bet before the race of belief flows and filters."""

from bflo_viz.lessons.exercise import Bet

race = Bet(
    "9a",
    title="The world turns over half-way: who errs least?",
    right="the filter that lets weights drift",
    replies={
        "the filter that trusts all data": "It wins as long as the world stands still, and goes deaf when it turns.",
        "the belief flow": "It never goes deaf, but a filter that lets the weights drift errs even less.",
        "the filter that lets weights drift": "One number, the process noise, is enough to keep it listening.",
    },
)
