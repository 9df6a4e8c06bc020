"""Variance decomposition by REML of scores nested in trials nested in scenarios."""

from evalib.stats.variance.components import VarianceComponents, variance_components
from evalib.stats.variance.design import NestedDesign
from evalib.stats.variance.fit import fit
from evalib.stats.variance.table import variance_table

__all__ = ["NestedDesign", "VarianceComponents", "fit", "variance_components", "variance_table"]
