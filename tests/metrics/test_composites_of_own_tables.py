"""EVA-A of a table that evalib did not make: only what makes a score must be there."""

import numpy as np
import pandas as pd
import pytest

from evalib.core import SCORE_COLUMNS, DataFormatError
from evalib.metrics import add_composites
from evalib.stats import pass_rates

ROWS = [
    ("mine", s, t, metric, value)
    for s in ("a", "b")
    for t in range(2)
    for metric, value in (
        ("task_completion", float(s == "a")),
        ("faithfulness", 0.5),
        ("speech_fidelity", np.nan if (s, t) == ("b", 1) else 0.96),
    )
]
TABLE = pd.DataFrame(ROWS, columns=["system", "scenario", "trial", "metric", "value"])


def eva_a(table):
    return table[table["metric"] == "eva_a_pass"].set_index(["scenario", "trial"])["value"]


def test_the_smallest_table_gets_its_composites():
    kept = TABLE.copy()
    found = add_composites(TABLE)
    assert set(SCORE_COLUMNS) <= set(found.columns)
    assert eva_a(found)[[("a", 0), ("a", 1), ("b", 0)]].tolist() == [1.0, 1.0, 0.0]
    assert np.isnan(eva_a(found)["b", 1])
    pd.testing.assert_frame_equal(TABLE, kept)
    rates = pass_rates(found, k=1)
    assert rates.loc[0, "pass_at_1"] == pytest.approx(0.5)
    assert rates.loc[0, "n_missing"] == 1


@pytest.mark.parametrize("judge", [None, np.nan, ""])
def test_metrics_without_a_judge(judge):
    judged = TABLE.assign(
        judge=TABLE["metric"].map({"faithfulness": "a model"}).where(lambda x: x.notna(), judge)
    )
    pd.testing.assert_series_equal(eva_a(add_composites(judged)), eva_a(add_composites(TABLE)))


def test_a_column_that_cannot_be_filled_in_is_named():
    with pytest.raises(DataFormatError, match="scenario"):
        add_composites(TABLE.drop(columns="scenario"))
