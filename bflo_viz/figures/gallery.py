"""Every figure by its name, with the data that the paper's figure has; and a folder full of them."""

import html
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from bflo_viz import _checks as check
from bflo_viz import figures
from bflo_viz._errors import UserError
from bflo_viz.figures.style import alt_text, look, save

FORMATS = ("png", "svg", "pdf")


class Entry(NamedTuple):
    """A figure of the gallery: what it shows, and whether its data is drawn at random."""

    title: str
    random: bool = False


FIGURES = {
    "dynamics": Entry("Three ways to learn: a point, a posterior, an ensemble (Fig. 1)", random=True),
    "flow_types": Entry("One prior, one step, three posteriors (Fig. 2a)"),
    "regime_map": Entry("Posterior mean and width over where the weight was and went (Fig. 2b)"),
    "regime_variants": Entry("The map for both branches, non-expansive and spherical flows (Fig. 2b)"),
    "one_d_updates": Entry("Updates of one weight, near the mean and a standard deviation away (Fig. 2c)"),
    "pseudo_dataset": Entry("A spherical flow as points added and removed (Fig. 3)", random=True),
    "subspace": Entry("What the full flow does, and where it does nothing (Theorem 1)"),
    "kl_landscape": Entry("The KL of a stretch, its two valleys, and the one that is taken"),
    "demonstration": Entry("The two-dimensional demonstration: mistakes and entropy", random=True),
    "online": Entry("One run of the demonstration: boundaries, mistakes and entropy", random=True),
    "learning_curves": Entry("Learning curves of any recorded runs", random=True),
    "digits": Entry("The digits of the paper's second table: plain, on noise, on photographs", random=True),
    "first_layer": Entry("What a network believes about its first layer: means and widths as pictures", random=True),
    "true_ensemble": Entry("The ensemble that a belief stands for, and what two flows make of it", random=True),
    "contraction": Entry("How fast a flow narrows, and which share of a step it learns", random=True),
    "equilibrium": Entry("Where the width settles: about half of SGD's own jitter", random=True),
    "results_table1": Entry("Table 1 as a picture: our errors and the printed ones"),
    "results_table2": Entry("Table 2 as a picture: our errors and the printed ones"),
    "one_update": Entry("One update in each regime"),
}


def make(name: str, style: str = "paper", *, seed: int = 0) -> Figure:
    """Compute and draw a figure of the gallery; the same seed gives the same figure."""
    name = known(name)
    kind, _, experiment = name.partition("_table")
    settings: dict[str, Any] = {"experiment": f"table{experiment}"} if experiment else {}
    if FIGURES[name].random:
        settings["rng"] = np.random.default_rng(seed)
    return getattr(figures, f"draw_{kind}")(**settings, style=style)  # type: ignore[no-any-return]


def known(name: str) -> str:
    """Return ``name`` if there is such a figure; a mistyped one gets the nearest."""
    name = name.replace("-", "_")
    if name in FIGURES:
        return name
    raise UserError(f"there is no figure {name!r}: {check.did_you_mean(name, FIGURES)}")


def write(
    folder: Path,
    names: Iterable[str] = (),
    *,
    formats: Sequence[str] = ("png",),
    style: str = "paper",
    seed: int = 0,
    tell: Callable[[str], object] = lambda line: None,
) -> None:
    """Write figures (all, if none is named) into a folder.

    With more than one figure there is a contact sheet, ``index.html``, that shows the alt text beside each.
    """
    chosen = [known(name) for name in names] or list(FIGURES)
    for kind in formats:
        if kind not in FORMATS:
            raise UserError(f"there is no format {kind!r}: it must be one of {', '.join(FORMATS)}.")
    cards = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            figure = make(name, style, seed=seed)
            files = [folder / f"{name}.{kind}" for kind in formats]
            with look(style):
                for file in files:
                    save(figure, file)
                    tell(f"{file}")
            cards.append(_card(name, files, alt_text(figure)))
        if len(cards) > 1:
            page = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
            (folder / "index.html").write_text(page.substitute(cards="\n".join(cards)), encoding="utf-8")
            tell(f"{folder / 'index.html'}")
    except OSError as problem:
        raise UserError(f"figures could not be written to {folder}: {problem.strerror or problem}.") from problem


def _card(name: str, files: list[Path], alt: str) -> str:
    shown = next((f.name for f in files if f.suffix in (".png", ".svg")), None)
    words, title = html.escape(alt, quote=True), html.escape(FIGURES[name].title)
    picture = f'<img src="{shown}" alt="{words}">' if shown else ""
    links = " ".join(f'<a href="{f.name}">{f.suffix[1:]}</a>' for f in files)
    return f"<figure id='{name}'>{picture}<figcaption><b>{title}</b><br>{words}<br>{links}</figcaption></figure>"
