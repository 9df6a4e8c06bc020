"""Statistics: long score tables and arrays in, estimates with intervals out. One file per method.

A *score table* is a pandas DataFrame with a row per score (``evalib.core.SCORE_COLUMNS``), made by
:func:`evalib.score` or by yourself. Read are:

- ``system`` (or what `by` names), ``scenario``, ``trial``, ``metric``, ``value``: must be there;
- ``domain``: domains get equal weight, and scenario ids are taken within them; without it, one domain;
- ``status``: a value counts when it is ``"ok"``; the others are ``not_applicable``, ``judge_error``,
  ``infra_error``, ``invalid_simulation`` and ``not_run``: missing, counted. Without the column a
  value is ok and a NaN is missing;
- ``condition``: ``"clean"`` or a perturbation; conditions are never pooled;
- ``judge``, ``judge_pass``: the model's name and the number of its pass, from 0; ``"code"`` and 0 for
  a metric that is computed. Judges are never pooled, and passes are averaged unless a function is
  about them.

EVA-A and EVA-X rows are added by :func:`evalib.metrics.add_composites`.

Results have named fields and a ``reason``; ``print`` and notebooks show them as small tables, and
``to_frame()`` makes a row. ``rng=None`` is a fixed seed.
"""

from evalib.stats.agreement import (
    AgreementInterval,
    CohenKappa,
    GwetAC1,
    JudgeAccuracy,
    KrippendorffAlpha,
    agreement_ci,
    annotator_agreement,
    binary_agreement,
    cohen_kappa,
    gwet_ac1,
    judge_accuracy,
    krippendorff_alpha,
)
from evalib.stats.anova import AnovaResult, anova_twoway
from evalib.stats.binomial import BinomialInterval, binomial_interval
from evalib.stats.comparisons import compare_systems
from evalib.stats.contrasts import architecture_contrasts
from evalib.stats.correlation import CorrelationResult, correlation
from evalib.stats.cross_domain import cross_domain_sd
from evalib.stats.frontier import pareto_front
from evalib.stats.icc import IccResult, icc_oneway
from evalib.stats.intervals import BootstrapResult, bootstrap_ci
from evalib.stats.judge_noise import judge_trial_noise
from evalib.stats.matrix_bootstrap import BootstrapMeans, bootstrap_means
from evalib.stats.multiplicity import holm
from evalib.stats.pass_rates import pass_rates, scenario_rates
from evalib.stats.perturbation import perturbation_tests
from evalib.stats.planning import PilotVariances, pilot_variances, plan_study
from evalib.stats.pooled import pooled_estimate
from evalib.stats.ratings import rating_distribution, score_buckets
from evalib.stats.sign_flip import SignFlipResult, SignFlipResults, sign_flip_test, sign_flip_tests
from evalib.stats.sign_test import SignTestResult, sign_test
from evalib.stats.stability import subsample_stability
from evalib.stats.sweeps import SweepStability, sweep_stability, threshold_sweep
from evalib.stats.variance import VarianceComponents, variance_components, variance_table

__all__ = [
    "AgreementInterval",
    "AnovaResult",
    "BinomialInterval",
    "BootstrapMeans",
    "BootstrapResult",
    "CohenKappa",
    "CorrelationResult",
    "GwetAC1",
    "IccResult",
    "JudgeAccuracy",
    "KrippendorffAlpha",
    "PilotVariances",
    "SignFlipResult",
    "SignFlipResults",
    "SignTestResult",
    "SweepStability",
    "VarianceComponents",
    "agreement_ci",
    "annotator_agreement",
    "anova_twoway",
    "architecture_contrasts",
    "binary_agreement",
    "binomial_interval",
    "bootstrap_ci",
    "bootstrap_means",
    "cohen_kappa",
    "compare_systems",
    "correlation",
    "cross_domain_sd",
    "gwet_ac1",
    "holm",
    "icc_oneway",
    "judge_accuracy",
    "judge_trial_noise",
    "krippendorff_alpha",
    "pareto_front",
    "pass_rates",
    "perturbation_tests",
    "pilot_variances",
    "plan_study",
    "pooled_estimate",
    "rating_distribution",
    "scenario_rates",
    "score_buckets",
    "sign_flip_test",
    "sign_flip_tests",
    "sign_test",
    "subsample_stability",
    "sweep_stability",
    "threshold_sweep",
    "variance_components",
    "variance_table",
]
