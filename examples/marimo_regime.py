"""An explorer in marimo (`marimo edit examples/marimo_regime.py`): cells that read its traits run as it moves."""

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    from bflo_viz import RegimeExplorer

    return RegimeExplorer, mo


@app.cell
def _(RegimeExplorer, mo):
    explorer = mo.ui.anywidget(RegimeExplorer(delta=1.0, delta_new=-2.0))
    explorer  # noqa: B018
    return (explorer,)


@app.cell
def _(explorer, mo):
    said = f"{explorer.regime}: the belief becomes {explorer.posterior.std[0]:.2f} wide"
    mo.md(f"**{said}**" if explorer.value else "")
    return (said,)


if __name__ == "__main__":
    app.run()
