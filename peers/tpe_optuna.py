"""Optuna's TPESampler on the functions of harness/tune/tpe/functions_test.go.

    python3 -m venv /tmp/optuna && /tmp/optuna/bin/pip install optuna==4.5.0
    /tmp/optuna/bin/python peers/tpe_optuna.py > harness/tune/tpe/testdata/optuna.json

Prints, as JSON, the best value after 100 trials for each function, each number
of random trials and each seed; and the bandwidths and log densities of its
Parzen estimators on a few observations.
"""

import json
import math
import sys
from importlib.metadata import version

import numpy
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator, _ParzenEstimatorParameters
from optuna.samplers._tpe.sampler import default_weights

VERSION = "4.5.0"
SEEDS = 100
TRIALS = 100


def sphere(trial):
    return -sum((trial.suggest_float(f"x{i}", -5, 5) - 1) ** 2 for i in range(5))


def branin(trial):
    x, y = trial.suggest_float("x", -5, 10), trial.suggest_float("y", 0, 15)
    bow = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6
    return -(bow * bow + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10)


def mixed(trial):
    rate = math.log10(trial.suggest_float("rate", 1e-5, 1, log=True)) + 3
    layers = (trial.suggest_int("layers", 1, 8) - 3) / 3
    word = {"a": 0.6, "b": 0.3, "c": 0.0, "d": 0.9}[trial.suggest_categorical("word", ["a", "b", "c", "d"])]
    share = trial.suggest_float("share", 0, 1) - 0.2
    size = (trial.suggest_int("size", 32, 256, step=2) - 96) / 128
    return -(rate * rate / 2 + layers * layers + word + 2 * share * share + size * size / 2)


def best(function, seed, random):
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=random)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(function, n_trials=TRIALS)
    return study.best_value


# What the estimators are compared on: distribution, observations, where.
ESTIMATORS = {
    "linear": (FloatDistribution(0, 10), [1, 2, 7], [3, 9.5]),
    "log": (FloatDistribution(1e-4, 1e2, log=True), [0.001, 0.01, 1], [0.1, 50]),
    "whole": (IntDistribution(1, 8), [2, 2, 5], [3, 8]),
    "even": (IntDistribution(32, 256, step=2), [34, 100, 102, 256], [32, 180]),
    "choice": (CategoricalDistribution(["a", "b", "c", "d"]), [0, 2, 2], [2, 3]),
    "many": (FloatDistribution(0, 1), [(i * 37 % 41) / 41 for i in range(40)], [0.25, 0.9]),
}


def estimator(distribution, observations, places):
    parameters = _ParzenEstimatorParameters(
        prior_weight=1.0, consider_magic_clip=True, consider_endpoints=False,
        weights=default_weights, multivariate=False, categorical_distance_func={},
    )
    e = _ParzenEstimator({"x": numpy.array(observations, float)}, {"x": distribution}, parameters)
    part = e._mixture_distribution.distributions[0]
    return {
        "observations": observations,
        "bandwidths": getattr(part, "sigma", numpy.array([])).tolist(),
        "at": places,
        "log_density": e.log_pdf({"x": numpy.array(places, float)}).tolist(),
    }


def main():
    if version("optuna") != VERSION:
        sys.exit(f"optuna {version('optuna')} is installed, expected {VERSION}")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    runs = {
        f"{f.__name__}/{random}": [round(best(f, seed, random), 9) for seed in range(SEEDS)]
        for f in (sphere, branin, mixed) for random in (10, 70)
    }
    estimators = {name: estimator(*what) for name, what in ESTIMATORS.items()}
    json.dump({"optuna": VERSION, "trials": TRIALS, "estimators": estimators, "best": runs}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
