"""Figures are drawn without anyone's downloads: a picture must not depend on what is in a cache."""

import pytest

from bflo_viz.streams import places


@pytest.fixture(autouse=True)
def _no_downloads(tmp_path, monkeypatch):
    monkeypatch.delenv(places.VARIABLE, raising=False)
    monkeypatch.setattr(places, "cache_folder", lambda: tmp_path / "nowhere")
