"""Statistics: long score tables and arrays in, estimates with intervals out. One file per method."""

from evalib.stats.agreement import (
    agreement_ci,
    annotator_agreement,
    binary_agreement,
    cohen_kappa,
    gwet_ac1,
    judge_accuracy,
    krippendorff_alpha,
)
from evalib.stats.anova import anova_twoway
from evalib.stats.binomial import binomial_interval
from evalib.stats.contrasts import architecture_contrasts
from evalib.stats.correlation import correlation
from evalib.stats.cross_domain import cross_domain_sd
from evalib.stats.frontier import pareto_front
from evalib.stats.icc import icc_oneway
from evalib.stats.intervals import BootstrapResult, bootstrap_ci
from evalib.stats.judge_noise import judge_trial_noise
from evalib.stats.matrix_bootstrap import bootstrap_means
from evalib.stats.multiplicity import holm
from evalib.stats.pass_rates import pass_rates, scenario_rates
from evalib.stats.perturbation import perturbation_tests
from evalib.stats.planning import pilot_variances, plan_study
from evalib.stats.pooled import pooled_estimate
from evalib.stats.ratings import rating_distribution, score_buckets
from evalib.stats.sign_flip import sign_flip_test, sign_flip_tests
from evalib.stats.sign_test import sign_test
from evalib.stats.stability import subsample_stability
from evalib.stats.sweeps import sweep_stability, threshold_sweep
from evalib.stats.variance import variance_components, variance_table

__all__ = [
    "BootstrapResult",
    "agreement_ci",
    "annotator_agreement",
    "anova_twoway",
    "architecture_contrasts",
    "binary_agreement",
    "binomial_interval",
    "bootstrap_ci",
    "bootstrap_means",
    "cohen_kappa",
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
