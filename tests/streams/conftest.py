"""No test sees anyone's data or cache."""

import pytest

from bflo_viz import _places


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The cache folder of this test; it is not there yet."""
    folder = tmp_path / "home" / "bflo-viz"
    monkeypatch.delenv(_places.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(_places, "cache_folder", lambda: folder)
    return folder


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The folder that BFLO_DATA names."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv(_places.DATA_VARIABLE, str(folder))
    return folder
