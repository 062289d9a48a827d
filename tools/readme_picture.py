"""Draw the picture of the README: python tools/readme_picture.py FILE."""

import sys

from bflo_viz.figures.one_update import draw_updates

draw_updates().savefig(sys.argv[1], dpi=150)
