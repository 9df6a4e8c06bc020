"""Every public statistic on perfect, empty and invalid input: a value with its reason, or an EvalibError.

A statistic that is added and not entered here fails the first test.
"""

import contextlib
import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

from evalib import stats
from evalib.core import EvalibError
from evalib.stats.result import Result

NESTED = pd.DataFrame(
    [
        ("s", d, f"{d}{i}", t, p, "m", "clean", 1.0)
        for d in "xy"
        for i in range(4)
        for t in range(3)
        for p in range(2)
    ],
    columns=["system", "domain", "scenario", "trial", "judge_pass", "metric", "condition", "value"],
)
TRIALS = NESTED[NESTED["judge_pass"] == 0].drop(columns="judge_pass").assign(architecture="cascade")
COMPONENTS = pd.concat(
    TRIALS.assign(metric=m) for m in ("turn_taking", "conciseness", "conversation_progression")
)
PERTURBED = pd.concat([TRIALS, TRIALS.assign(condition="noisy")])
COMPARED = pd.concat([TRIALS, TRIALS.assign(system="t")])
RATINGS = pd.DataFrame({"call": range(6), "judge": [1] * 6, "ann": [1] * 6, "bob": [1] * 6})
SYSTEMS = pd.DataFrame({"system": list("abcdef"), "architecture": list("xxxyyy"), "value": 1.0})
BY_DOMAIN = pd.DataFrame({"system": "s", "domain": list("xyz"), "estimate": 1.0})
SWEEP = pd.DataFrame(
    [(s, t, 1.0) for s in "abc" for t in (0.5, 0.6)], columns=["system", "threshold", "pass_at_1"]
)
PASSED = pd.DataFrame({"y": np.ones(24), "row": np.repeat(range(6), 4), "col": np.tile([0, 0, 1, 1], 6)})

# A call, and a table or vector on which everything is perfect. Its empty form is its first zero rows.
CALLS = {
    "agreement_ci": (
        lambda x: stats.agreement_ci(x, "judge", "ann", "call", (1, 2, 3), n_resamples=50),
        RATINGS,
    ),
    "annotator_agreement": (
        lambda x: stats.annotator_agreement(
            x, "judge", ("ann", "bob"), "call", (1, 2, 3), n_resamples=50, n_draws=5
        ),
        RATINGS,
    ),
    "anova_twoway": (lambda x: stats.anova_twoway(x, "y", "row", "col"), PASSED),
    "architecture_contrasts": (lambda x: stats.architecture_contrasts(x, n_resamples=50), SYSTEMS),
    "binary_agreement": (
        lambda x: stats.binary_agreement(
            x, "judge", ("ann", "bob"), None, (1, 2, 3), 2, n_resamples=50, n_draws=5
        ),
        RATINGS,
    ),
    "bootstrap_ci": (lambda x: stats.bootstrap_ci(x, n_resamples=50), np.ones(6)),
    "bootstrap_means": (lambda x: stats.bootstrap_means(x, n_resamples=50), np.ones((6, 2))),
    "cohen_kappa": (lambda x: stats.cohen_kappa(x, x, (1, 2)), np.ones(6)),
    "compare_systems": (lambda x: stats.compare_systems(x, n_bootstrap=50), COMPARED),
    "correlation": (lambda x: stats.correlation(x, x), np.arange(6.0)),
    "cross_domain_sd": (stats.cross_domain_sd, BY_DOMAIN),
    "gwet_ac1": (lambda x: stats.gwet_ac1(x, x, (1, 2)), np.ones(6)),
    "holm": (stats.holm, np.ones(6)),
    "icc_oneway": (lambda x: stats.icc_oneway(x, "y", "row"), PASSED),
    "judge_accuracy": (lambda x: stats.judge_accuracy(x, x, (1, 2)), np.ones(6)),
    "judge_trial_noise": (stats.judge_trial_noise, NESTED),
    "krippendorff_alpha": (
        lambda x: stats.krippendorff_alpha(x, "interval", n_resamples=50),
        np.ones((6, 2)),
    ),
    "pareto_front": (lambda x: stats.pareto_front(x, 0, 1), np.ones((6, 2))),
    "pass_rates": (lambda x: stats.pass_rates(x, metric="m", n_resamples=50), TRIALS),
    "perturbation_tests": (lambda x: stats.perturbation_tests(x, n_bootstrap=50), PERTURBED),
    "pilot_variances": (lambda x: stats.pilot_variances(x, "m"), TRIALS),
    "pooled_estimate": (lambda x: stats.pooled_estimate(x, "m", n_resamples=50), TRIALS),
    "rating_distribution": (lambda x: stats.rating_distribution(x, "m"), TRIALS),
    "scenario_rates": (lambda x: stats.scenario_rates(x, x, k=1), np.ones(6, dtype=int)),
    "score_buckets": (lambda x: stats.score_buckets(x, "m"), TRIALS),
    "sign_flip_test": (stats.sign_flip_test, np.zeros(6)),
    "sign_flip_tests": (stats.sign_flip_tests, np.zeros((6, 2))),
    "sign_test": (stats.sign_test, np.zeros(6)),
    "subsample_stability": (
        lambda x: stats.subsample_stability(x, "m", ks=(1, 2), anchor=3, n_draws=50),
        TRIALS,
    ),
    "sweep_stability": (lambda x: stats.sweep_stability(x, anchor=0.5), SWEEP),
    "threshold_sweep": (
        lambda x: stats.threshold_sweep(x, "turn_taking", [0.5, 0.8], composite="eva_x_pass"),
        COMPONENTS,
    ),
    "variance_components": (stats.variance_components, NESTED),
    "variance_table": (stats.variance_table, NESTED.assign(judge="model")),
}
NOT_OF_DATA = {"plan_study", "binomial_interval"}  # take a few numbers; their own tests try those


def test_every_public_function_is_here():
    functions = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    assert functions == set(CALLS) | (NOT_OF_DATA & functions)


def run(name, data):
    """The result of a call in which every warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return CALLS[name][0](data)


def explained(result):
    """Whether each NaN of a result comes with a reason."""
    if isinstance(result, Result):
        result = result.to_frame()
    if isinstance(result, pd.DataFrame):
        rows = result.select_dtypes("number").isna().any(axis=1)
        return not rows.any() or bool((result.loc[rows, "reason"] != "").all())
    if hasattr(result, "to_frame"):
        return explained(result.to_frame())
    return not np.isnan(np.asarray(result, dtype=float)).any()


@pytest.mark.parametrize("name", CALLS)
def test_perfect_data_give_a_value_or_say_why_not(name):
    assert explained(run(name, CALLS[name][1]))


@pytest.mark.parametrize("name", CALLS)
def test_empty_data_give_a_reason_or_an_error_that_says_so(name):
    with contextlib.suppress(EvalibError):  # anything else, a warning too, fails
        assert explained(run(name, CALLS[name][1][:0]))


@pytest.mark.parametrize("name", CALLS)
def test_all_missing_data_give_a_reason_or_an_error_that_says_so(name):
    data = CALLS[name][1]
    if isinstance(data, pd.DataFrame):
        columns = [c for c in ("value", "y", "estimate", "judge", "pass_at_1") if c in data]
        data = data.assign(**dict.fromkeys(columns, np.nan))
    else:
        data = np.full(data.shape, np.nan)
    if name in ("holm", "pareto_front"):  # bare arrays: a missing p stays missing, a missing point is off
        assert len(run(name, data)) == len(data)
        return
    with contextlib.suppress(EvalibError):
        assert explained(run(name, data))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("bad", ["text", "infinity"])
def test_text_and_infinities_are_refused(name, bad):
    data = CALLS[name][1]
    wrong = "high" if bad == "text" else np.inf
    if isinstance(data, pd.DataFrame):
        column = next(c for c in ("value", "y", "estimate", "judge", "pass_at_1") if c in data)
        values = data[column].astype(object).to_list()
        values[1] = wrong
        data = data.assign(**{column: pd.Series(values, index=data.index, dtype=object)})
    else:
        data = data.astype(object)
        data[1] = wrong
    if name == "pareto_front" and bad == "infinity":
        return  # a latency without end is a point, and is beaten
    with pytest.raises(EvalibError):
        run(name, data)


@pytest.mark.parametrize("name", [n for n, (_, d) in CALLS.items() if isinstance(d, pd.DataFrame)])
def test_a_missing_column_is_named_and_no_input_is_changed(name):
    data = CALLS[name][1]
    kept = data.copy(deep=True)
    run(name, data)
    pd.testing.assert_frame_equal(data, kept)
    column = next(c for c in ("value", "y", "estimate", "judge", "pass_at_1") if c in data)
    with pytest.raises(EvalibError, match=column):
        run(name, data.drop(columns=column))
