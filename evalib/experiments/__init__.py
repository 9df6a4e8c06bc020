"""Run plans and the two front doors: `evalib.simulate` and `evalib.score`."""
