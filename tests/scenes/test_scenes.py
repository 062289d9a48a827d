"""What all scenes share: words, names without clashes, and no drawing; and how figures take them."""

import subprocess
import sys

import numpy as np
import pytest

import bflo_viz
from bflo_viz import figures, scenes
from bflo_viz.figures import alt_text, draw_kl_landscape, draw_one_update
from bflo_viz.scenes import Scene, kl_landscape, regime_map
from bflo_viz.scenes.base import number


def test_every_public_name_is_there():
    """Of scenes and of figures; each is loaded when it is first used."""
    for package in (scenes, figures):
        assert dir(package) == package.__all__ == sorted(package.__all__)
        for name in package.__all__:
            assert getattr(package, name).__doc__
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            package.nothing  # noqa: B018


def test_no_public_name_is_that_of_a_module():
    """Else it would depend on what was imported before whether a function or a module is found."""
    for package in (bflo_viz, scenes, figures):
        modules = {name.rpartition(".")[2] for name in sys.modules if name.rpartition(".")[0] == package.__name__}
        assert not modules & set(package.__all__)


def test_scenes_load_no_drawing():
    """All scenes, and the explorers until a picture is asked for, work without matplotlib."""
    code = """
import sys
from bflo_viz import scenes
for name in scenes.__all__:
    getattr(scenes, name)
assert not {"matplotlib", "ipywidgets", "IPython"} & set(sys.modules), "scenes"
from bflo_viz import FlowExplorer, RegimeExplorer
repr(RegimeExplorer()), repr(FlowExplorer())
assert "matplotlib" not in sys.modules, "explorers"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_figure_takes_a_scene_or_its_settings():
    """Both ways give the same picture and the same words; both at once are refused in a sentence."""
    scene = kl_landscape([(1.0, -2.0)], span=3.0)
    by_scene, by_settings = draw_kl_landscape(scene), draw_kl_landscape([(1.0, -2.0)], span=3.0)
    assert alt_text(by_scene) == alt_text(by_settings) == scene.words()
    for ax, other in zip(by_scene.axes, by_settings.axes, strict=True):
        for line, same in zip(ax.lines, other.lines, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), same.get_xydata())
    with pytest.raises(
        ValueError, match=r"^draw_kl_landscape must be given a scene or the settings of one, but .*both"
    ):
        draw_kl_landscape(scene, span=3.0)
    assert len(draw_one_update([(1.0, 2.0)]).axes) == 1


def test_words_are_one_line_without_double_spaces():
    for scene in (kl_landscape(), regime_map(points=11)):
        assert isinstance(scene, Scene)
        assert "\n" not in scene.words() and "  " not in scene.words()
    assert number(-1.25, 2) == "−1.25"
