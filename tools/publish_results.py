"""Write the results in a store as the files of the folder ``results``, with a manifest: see results/README.md."""

import argparse
from pathlib import Path

from bflo_viz.experiments.protocol import EXPERIMENTS, load_protocol, names
from bflo_viz.experiments.results import Store, publish

QUICK = [("table1", "inferred"), ("table2", "inferred")]  # small ones that anyone can rerun
EXTRAS = {"table1": ["NHERD", "spherical", "spherical exact", "full"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--into", type=Path, default=Path("results"))
    options = parser.parse_args()
    everything = [(experiment, name, False) for experiment in EXPERIMENTS for name in names(experiment)]
    with Store(options.store, create=False) as store:
        for experiment, name, quick in [*everything, *((*one, True) for one in QUICK)]:
            extras = [] if quick else EXTRAS.get(experiment, [])
            protocol = load_protocol(experiment, name, quick=quick).extended(extras)
            results = store.results(protocol.trials())
            if results:
                command = f"bflo run {experiment} --protocol {name}{' --quick' if quick else ''}"
                command += f' --extra "{",".join(extras)}"' if extras else ""
                path = publish(results, protocol, options.into, command)
                print(f"{path}: {len(results)} of {len(protocol.trials())} runs")


if __name__ == "__main__":
    main()
