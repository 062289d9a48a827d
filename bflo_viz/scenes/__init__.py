"""An idea as data: what a figure draws, an explorer plays and a notebook says. One idea, one scene; no drawing here.

A function computes a scene, ``scene.words()`` says what there is to see, and the figure of its name draws it:

>>> from bflo_viz.scenes import kl_landscape
>>> kl_landscape([(1.0, -2.0)]).words()[:22]
'KL divergence of the p'
"""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "base": "Scene",
        "curves": "LearningCurves Panel learning_curves",
        "ensemble": "Contraction Equilibrium TrueEnsemble contraction equilibrium step_shares true_ensemble "
        "width_law",
        "network": "Activity Digits Film FirstLayer Opinions activity constant_share digits first_layer",
        "one_dimension": "LandscapeScene OneDUpdates RegimeMap RegimeVariants UpdateScene UpdatesScene kl_landscape "
        "one_d_updates one_update regime_map regime_variants",
        "online": "DemonstrationScene OnlineScene demonstration learn_online",
        "pseudo_points": "PseudoScene pseudo_dataset",
        "result_tables": "Results results",
        "surfaces": "SURFACES Surface",
        "three_ways": "DynamicsScene dynamics",
        "two_dimensions": "FlowTypes QuadraticLoss Subspace compare_flows flow_types subspace",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
