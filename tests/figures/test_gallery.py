"""The gallery: every figure, into files that come out the same each time."""

import subprocess
import sys
from base64 import b64decode

import matplotlib
import numpy as np
import pytest
from looks import inside, made, overlapping_words
from matplotlib.legend import Legend
from matplotlib.text import Text
from PIL import Image

from bflo_viz import cli, figures
from bflo_viz.figures.gallery import FIGURES, write

PAPER = ["dynamics", "flow_types", "regime_map", "one_d_updates", "pseudo_dataset"]


@pytest.mark.mpl_image_compare(baseline_dir="baseline", style="default", tolerance=12, savefig_kwargs={"dpi": 50})
@pytest.mark.parametrize("name", PAPER)
def test_figures_look_as_they_did(name):
    """Compared with a stored picture; small differences of fonts are let pass.

    It comes first: a figure is laid out a little differently when it is drawn a second time.
    """
    return made(name)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_whole_and_says_what_it_shows(name):
    """Nothing outside, no words on words, axes labelled, a title, and alt text of one sentence with a number.

    It is read on a phone: its letters are at least 6 pixels high at a width of 390, and it has at most three panels.
    """
    figure = made(name)
    assert min(text.get_fontsize() for text in figure.findobj(Text)) * 390 / (72 * figure.get_figwidth()) > 5.9
    assert len([ax for ax in figure.get_axes() if ax.get_label() != "<colorbar>"]) <= 3 or "results" in name
    assert all(len(legend.get_texts()) <= 4 for legend in figure.findobj(Legend))
    assert inside(figure)
    assert not overlapping_words(figure)
    alt = figure.alt_text
    assert alt.endswith(".") and ". " not in alt and any(map(str.isdigit, alt)) and 80 < len(alt) < 420
    assert any(ax.get_xlabel() or ax.get_ylabel() for ax in figure.get_axes())
    assert any(ax.get_title(loc="left") for ax in figure.get_axes()) or figure.get_suptitle()


def test_every_public_name_is_there_without_pyplot():
    """Each is loaded when it is first used; nothing of it opens windows."""
    assert dir(figures) == figures.__all__ == sorted(figures.__all__)
    code = """
import sys
from bflo_viz import figures
assert "matplotlib" not in sys.modules
assert all(getattr(figures, name).__doc__ for name in figures.__all__)
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_same_figure_is_the_same_bytes(tmp_path):
    for folder in ("one", "two"):
        list(write(tmp_path / folder, ["true_ensemble"], formats=("png", "svg")))
    for kind in ("png", "svg"):
        one, two = (tmp_path / folder / f"true_ensemble.{kind}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), one.name


def test_a_notebook_stores_it_at_twice_the_size_at_which_it_is_shown(tmp_path):
    data, about = made("true_ensemble")._repr_mimebundle_()
    (tmp_path / "stored.png").write_bytes(b64decode(data["image/png"]))
    shown = about["image/png"]
    with Image.open(tmp_path / "stored.png") as picture:
        assert np.allclose(picture.size, [2 * shown["width"], 2 * shown["height"]], atol=2)
    assert shown["alt"] == made("true_ensemble").alt_text and shown["alt"] in data["text/plain"]


def test_the_command_writes_figures_with_their_alt_text(tmp_path, capsys):
    names = ["kl-landscape", "one_update"]
    assert cli.main(["figures", "--out", str(tmp_path), "--format", "pdf,svg,png", *names]) == 0
    for name in ("kl_landscape", "one_update"):
        for kind in ("pdf", "svg", "png"):
            assert (tmp_path / f"{name}.{kind}").stat().st_size > 1000
        with Image.open(tmp_path / f"{name}.png") as picture:
            assert picture.info["Description"] == made(name).alt_text
    assert str(tmp_path / "one_update.svg") in capsys.readouterr().out


def test_matplotlib_is_left_as_it_was():
    before = dict(matplotlib.rcParams)
    FIGURES["one_update"].draw()
    assert dict(matplotlib.rcParams) == before
