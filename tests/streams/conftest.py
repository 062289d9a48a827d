"""No test sees anyone's data or cache, and none waits before it tries again."""

from types import SimpleNamespace

import pooch
import pytest

from bflo_viz import _places


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The cache folder of this test, for this process and for those that it starts; it is not there yet."""
    folder = tmp_path / "home" / "bflo-viz"
    monkeypatch.delenv(_places.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent))
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(_places, "cache_folder", lambda: folder)
    monkeypatch.setattr(pooch.core, "time", SimpleNamespace(sleep=lambda seconds: None))
    return folder
