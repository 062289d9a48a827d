"""The gallery: every figure, in both styles, into files that come out the same each time."""

import re

import pytest
from looks import inside, made, overlapping_words

from bflo_viz import cli
from bflo_viz.figures import gallery
from bflo_viz.figures.style import alt_text


@pytest.mark.mpl_image_compare(baseline_dir="baseline", style="default", tolerance=12, savefig_kwargs={"dpi": 50})
@pytest.mark.parametrize("name", gallery.FIGURES)
def test_figures_look_as_they_did(name):
    """Compared with a stored picture; small differences of fonts are let pass.

    It comes first: a figure is laid out a little differently when it is drawn a second time.
    """
    return made(name)


@pytest.mark.parametrize("style", ["paper", pytest.param("slides", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", gallery.FIGURES)
def test_every_figure_is_whole_and_says_what_it_shows(name, style):
    """Nothing outside, no words on words, axes labelled, and alt text of some sentences with numbers in it."""
    figure = made(name, style)
    assert inside(figure)
    assert not overlapping_words(figure)
    assert len(alt_text(figure)) > 80 and re.search(r"\d", alt_text(figure))
    assert any(ax.get_xlabel() or ax.get_ylabel() for ax in figure.get_axes())
    assert any(ax.get_title(loc="left") or ax.get_title() for ax in figure.get_axes()) or figure.get_suptitle()


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for folder in ("one", "two"):
        gallery.write(tmp_path / folder, ["flow_types"], formats=("png", "svg"))
    for kind in ("png", "svg"):
        one, two = (tmp_path / folder / f"flow_types.{kind}" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes(), one.name


def test_the_command_writes_figures_and_a_contact_sheet(tmp_path, capsys):
    """`bflo figures` in all formats; the sheet shows each with its alt text."""
    names = ["kl-landscape", "one_update"]
    assert cli.main(["figures", "--out", str(tmp_path), "--format", "pdf,svg,png", *names]) == 0
    for name in ("kl_landscape", "one_update"):
        for kind in ("pdf", "svg", "png"):
            assert (tmp_path / f"{name}.{kind}").stat().st_size > 1000
    page = (tmp_path / "index.html").read_text()
    assert page.count("<img") == 2
    assert all(len(alt) > 80 for alt in re.findall(r'alt="([^"]+)"', page))
    assert "http" not in page
    assert str(tmp_path / "one_update.svg") in capsys.readouterr().out


def test_the_list_names_every_figure(capsys):
    assert cli.main(["figures", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in gallery.FIGURES)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["regime_mop"], "did you mean 'regime_map'"),
        (["xyz"], "there are dynamics"),
        (["one_update", "--format", "gif"], "no format 'gif'"),
        (["one_update", "--out", "/dev/null/x"], "could not be written"),
    ],
)
def test_a_mistake_gets_a_sentence(arguments, words, capsys):
    assert cli.main(["figures", *arguments]) == 1
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_matplotlib_is_left_as_it_was():
    import matplotlib

    before = dict(matplotlib.rcParams)
    gallery.make("one_update", "slides")
    assert dict(matplotlib.rcParams) == before
