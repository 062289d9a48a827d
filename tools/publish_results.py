"""Write the results in a store as the files of the folder ``results``, with a manifest: see results/README.md."""

import argparse
from pathlib import Path

from bflo_viz.experiments.files import publish
from bflo_viz.experiments.protocol import EXPERIMENTS, load_protocol, names
from bflo_viz.experiments.store import Store


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--into", type=Path, default=Path("results"))
    options = parser.parse_args()
    with Store(options.store, create=False) as store:
        kept = store.keys()
        for experiment in EXPERIMENTS:
            for name in names(experiment):
                for quick in (False, True) if experiment != "demo" else (False,):  # quick is a part of it
                    protocol = load_protocol(experiment, name, quick=quick)
                    extras = [
                        extra
                        for extra in protocol.extras
                        if any(
                            trial.key in kept for trial in protocol.extended([extra]).only(learners=[extra]).trials()
                        )
                    ]
                    results = store.results(protocol.extended(extras).trials())
                    if not results:
                        continue
                    command = f"bflo run {experiment} --protocol {name}{' --quick' if quick else ''}"
                    command += f' --extra "{",".join(extras)}"' if extras else ""
                    path = publish(results, protocol, options.into, command)
                    print(f"{path}: {len(results)} of {len(protocol.extended(extras).trials())} runs")


if __name__ == "__main__":
    main()
