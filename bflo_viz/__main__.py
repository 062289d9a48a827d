"""``python -m bflo_viz`` is the ``bflo`` command."""

import sys

from bflo_viz.cli import main

sys.exit(main())
