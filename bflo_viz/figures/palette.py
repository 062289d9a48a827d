"""One meaning, one colour, everywhere; apart for colour-blind eyes, and each has a second mark beside its colour."""

PRIOR = "#4d4d4d"  # solid outline, grey
POSTERIOR = "#d55e00"  # filled, vermilion
WEIGHT = "#0072b2"  # dashed: the sampled weight; a hollow dot before its step, a full one after it
