"""Protocols of a user's own, from their text."""

import pytest
from fake_results import SMALL

from bflo_viz.experiments.protocol import load_protocol


@pytest.fixture
def own(tmp_path):
    """Load the text of a protocol: by default two streams, two learners and two runs."""

    def load(text=SMALL, experiment="demo", quick=False):
        (tmp_path / "own.toml").write_text(text)
        return load_protocol(experiment, str(tmp_path / "own.toml"), quick=quick)

    return load
