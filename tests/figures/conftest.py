"""Figures are drawn without anyone's downloads: a picture must not depend on what is in a cache."""

import pytest

from bflo_viz import _places


@pytest.fixture(autouse=True)
def _no_downloads(tmp_path, monkeypatch):
    monkeypatch.delenv(_places.DATA_VARIABLE, raising=False)
    monkeypatch.setattr(_places, "cache_folder", lambda: tmp_path / "nowhere")
