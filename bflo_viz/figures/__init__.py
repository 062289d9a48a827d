"""The paper's figures and the course's, drawn with matplotlib, and the numbers that they show.

``x`` computes plain data, ``draw_x`` draws it and returns a matplotlib figure whose ``alt_text`` is one sentence.
Where the data is left out, it draws what the paper shows.

>>> from bflo_viz.figures import draw_kl_landscape
>>> draw_kl_landscape([(1.0, -2.0)]).alt_text[:54]
'The KL over the stretch a has a valley on either side '
"""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "curves": "Panel draw_panels",
        "ensemble": "contraction draw_contraction draw_equilibrium draw_true_ensemble equilibrium true_ensemble",
        "gallery": "write",
        "network": "Opinions constant_share draw_activity draw_digits draw_film draw_opinions",
        "one_weight": "draw_kl_landscape draw_one_d_updates draw_one_update draw_regime_map kl_landscape "
        "one_d_updates regime_map",
        "online": "learn_online",
        "pseudo_points": "draw_pseudo_dataset pseudo_dataset",
        "tables": "compare draw_results",
        "three_ways": "draw_dynamics dynamics",
        "weight_space": "draw_flow_types flow_types",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
