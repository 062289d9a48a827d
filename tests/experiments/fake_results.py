"""Results that were never run, with the keys that runs of a protocol would have."""

from bflo_viz.experiments.results import Result


def results_of(
    protocol,
    runs,
    *,
    online=lambda trial: 100,
    final=lambda trial: 30,
    rounds=1000,
    test_rows=500,
    keep=lambda trial: True,
):
    """All runs of a protocol, with as many mistakes as the functions say."""
    return [
        Result(
            key=trial.key,
            experiment=trial.experiment,
            protocol=protocol.name,
            stream=trial.stream,
            learner=trial.learner,
            noise=trial.noise,
            run=trial.run,
            rounds=rounds,
            online_mistakes=online(trial),
            test_rows=test_rows,
            final_mistakes=final(trial),
            mean_mistakes=0,
            mistakes=(),
            entropy=(),
            seconds=1.0,
            memory_mb=100.0,
            data=f"rows of {trial.stream}",
            code="code 1",
            machine="machine",
            finished="2026-01-01T00:00:00+00:00",
        )
        for trial in protocol.trials(runs)
        if keep(trial)
    ]
