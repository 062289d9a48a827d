"""Pictures of scenes, drawn with matplotlib: what is printed, projected and exported.

``draw_x`` takes a scene that ``bflo_viz.scenes.x`` computed, or what that function takes, and then computes it first:

>>> from bflo_viz.figures import draw_kl_landscape
>>> draw_kl_landscape([(1.0, -2.0)]).alt_text[:22]
'KL divergence of the p'
"""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "dynamics": "draw_dynamics",
        "ensemble": "draw_contraction draw_equilibrium draw_true_ensemble",
        "flow_types": "draw_flow_types draw_subspace",
        "gallery": "make",
        "learning_curves": "Panel draw_demonstration draw_learning_curves draw_panels",
        "network": "draw_activity draw_digits draw_film draw_first_layer draw_opinions",
        "one_dimension": "draw_kl_landscape draw_one_d_updates draw_one_update draw_update",
        "online": "draw_online",
        "pseudo_dataset": "draw_pseudo_dataset",
        "regime_map": "draw_regime_map draw_regime_variants",
        "results": "draw_results",
        "style": "alt_text save",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
