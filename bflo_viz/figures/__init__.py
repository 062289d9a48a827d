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
        "activity": "draw_activity",
        "demonstration": "draw_demonstration",
        "digits": "draw_digits",
        "dynamics": "draw_dynamics",
        "film": "draw_film",
        "first_layer": "draw_first_layer",
        "flow_types": "draw_flow_types",
        "gallery": "make",
        "handout": "draw_handout",
        "kept_runs": "draw_kept_runs",
        "kl_landscape": "draw_kl_landscape",
        "learning_curves": "draw_learning_curves",
        "one_d_updates": "draw_one_d_updates",
        "one_update": "draw_one_update draw_update",
        "online": "draw_online",
        "opinions": "draw_opinions",
        "panels": "Panel draw_panels",
        "pseudo_dataset": "draw_pseudo_dataset",
        "regime_map": "draw_regime_map draw_regime_variants",
        "results": "draw_results",
        "style": "alt_text save",
        "subspace": "draw_subspace",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
