"""Statistics: long score tables and arrays in, estimates with intervals out. One file per method."""

from evalib.stats.intervals import BootstrapResult, bootstrap_ci
from evalib.stats.pass_rates import pass_rates, scenario_rates
from evalib.stats.pooled import pooled_estimate

__all__ = ["BootstrapResult", "bootstrap_ci", "pass_rates", "pooled_estimate", "scenario_rates"]
