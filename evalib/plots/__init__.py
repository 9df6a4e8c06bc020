"""Plots: one function per figure. Data in, matplotlib Axes out; pass ``ax=`` to draw into your own."""

from evalib.plots.call_timeline import timeline
from evalib.plots.latency_plot import latency_distribution
from evalib.plots.pass_rate_plot import pass_rate_bars

__all__ = ["latency_distribution", "pass_rate_bars", "timeline"]
