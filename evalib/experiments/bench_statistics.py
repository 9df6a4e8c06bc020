"""How fast the statistics are, beside the programs that people use, on the same data in the same run.

Everything is simulated here, in the shape of the paper's appendix H.1 and section 4.1: 213 scenarios in three
domains, 5 trials, 3 judge passes; 90 scenarios under perturbation; 63 labelled conversations.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_DOMAINS = {"CSM": 50, "HR": 83, "ITSM": 80}
_TRIALS, _PASSES = 5, 3
_R_TIMEOUT_S = 300


def bench_statistics() -> Iterator[str]:
    """Measure each statistic with a stated target, and its peer where one is installed.

    Nothing is asserted: numbers depend on the machine and on what else it is doing. Each time is the
    best of several runs, in milliseconds.
    """
    from evalib._versions import versions

    packages = versions()["packages"]
    with_what = ", ".join(f"{name} {packages[name]}" for name in ("numpy", "scipy", "statsmodels"))
    yield f"statistics on simulated data, best of several runs; {os.cpu_count()} cores; {with_what}"
    yield "target: the project's own, in milliseconds; n x: how many times longer the other program takes"
    yield from _variance()
    yield from _all_fits()
    yield from _sign_flips()
    yield from _bootstrap()
    yield from _kappa()


def nested_frame(rng: np.random.Generator, passes: int = _PASSES, dropped: float = 0.0) -> pd.DataFrame:
    """Scores of one system and metric, normal at every level; variances 0.02, 0.05 and 0.02."""
    import pandas as pd

    domains = np.repeat(list(_DOMAINS), list(_DOMAINS.values()))
    n = len(domains)
    scores = (
        0.6
        + 0.1 * (domains == "HR")[:, None, None]
        + rng.normal(0, 0.02**0.5, (n, 1, 1))
        + rng.normal(0, 0.05**0.5, (n, _TRIALS, 1))
        + rng.normal(0, 0.02**0.5, (n, _TRIALS, passes))
    )
    scenario, trial, judge_pass = np.indices(scores.shape).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "domain": domains[scenario],
            "scenario": scenario,
            "trial": trial,
            "judge_pass": judge_pass,
            "value": scores.ravel(),
        }
    )
    return frame[rng.random(len(frame)) >= dropped].reset_index(drop=True)


def _best_ms(work: Callable[[], Any], repeats: int = 5) -> float:
    work()  # imports and caches are not what is measured
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return 1000 * min(taken)


def _line(what: str, ours_ms: float, target_ms: float, peers: dict[str, float | str]) -> str:
    """One measurement: ours, the target, and how many times longer each peer takes."""
    said = f"{what:56s} {ours_ms:8.2f} ms (target {target_ms:g})"
    for name, took in peers.items():
        shown = took if isinstance(took, str) else f"{took:9.1f} ms = {took / ours_ms:,.0f} x"
        said += f"\n    {name:52s} {shown}"
    return said


def _statsmodels_ms(frame: pd.DataFrame) -> float | str:
    """One fit of the same model by statsmodels, which takes seconds: measured once."""
    import statsmodels.formula.api as smf

    frame = frame.assign(cell=frame["scenario"].astype(str) + ":" + frame["trial"].astype(str))
    model = smf.mixedlm(
        "value ~ domain", frame, groups="scenario", re_formula="1", vc_formula={"trial": "0 + C(cell)"}
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(reml=True)
    return 1000 * (time.perf_counter() - start)


_R = r"""
suppressMessages(library(lme4))
d <- read.csv("data.csv"); d$cell <- interaction(d$scenario, d$trial, drop=TRUE)
d$scenario <- factor(d$scenario)
fit <- function() lmer(value ~ domain + (1|scenario) + (1|cell), d)
invisible(fit())
cat(min(sapply(1:5, function(i) system.time(fit())["elapsed"])) * 1000, as.character(packageVersion("lme4")))
"""


def _lme4_ms(frame: pd.DataFrame) -> float | str:
    """The same fit by lme4, best of five inside one R process; or why there is none."""
    if (rscript := shutil.which("Rscript")) is None:
        return "not measured (R is not installed)"
    with tempfile.TemporaryDirectory() as folder:
        frame.to_csv(Path(folder) / "data.csv", index=False)
        (Path(folder) / "fit.R").write_text(_R, encoding="utf-8")
        try:
            done = subprocess.run(
                [rscript, "fit.R"],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=_R_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"not measured (R took longer than {_R_TIMEOUT_S} s)"
    if done.returncode or not re.match(r"[\d.]+ ", done.stdout):
        return "not measured (R has no working lme4)"
    return float(done.stdout.split()[0])


def _variance() -> Iterator[str]:
    """Three-level fits: the numerics alone, and from a data frame, beside statsmodels and lme4."""
    from evalib.stats import variance_components
    from evalib.stats.variance import NestedDesign, fit

    for name, dropped, target_ms in (("balanced", 0.0, 0.3), ("8% missing", 0.08, 5.0)):
        frame = nested_frame(np.random.default_rng(0), dropped=dropped)
        scenario, trial = frame["scenario"].to_numpy(), frame["trial"].to_numpy()
        domain_of = frame.groupby("scenario")["domain"].first().to_numpy()
        x = np.column_stack([np.ones(len(domain_of)), domain_of == "HR", domain_of == "ITSM"]).astype(float)
        design, y = NestedDesign.from_codes(scenario, trial, x), frame["value"].to_numpy()
        peers = {"statsmodels": _statsmodels_ms(frame), "lme4": _lme4_ms(frame)}
        what = f"REML, 3 levels, {len(frame):,} rows, {name}"
        yield _line(f"{what}: numerics", _best_ms(lambda d=design, v=y: fit(d, v), 50), target_ms, peers)  # type: ignore[misc]
        yield _line(f"{what}: from a frame", _best_ms(lambda f=frame: variance_components(f), 20), 10, peers)  # type: ignore[misc]


def _all_fits() -> Iterator[str]:
    """The shape of Table 35: 18 judge-graded fits and 16 of metrics that have no judge passes."""
    from evalib.stats import variance_components

    rng = np.random.default_rng(1)
    judged = [nested_frame(rng) for _ in range(18)]
    plain = [nested_frame(rng, passes=1) for _ in range(16)]

    def work() -> None:
        for frame in judged:
            variance_components(frame)
        for frame in plain:
            variance_components(frame, groups=("scenario",))

    yield _line("REML, all 34 fits of Table 35, from frames", _best_ms(work, 3), 500, {})


def _sign_flips() -> Iterator[str]:
    """Twelve systems, eight metrics, four scopes (domains and pooled), three conditions: 1,152 tests."""
    from scipy.stats import permutation_test

    from evalib.stats import sign_flip_tests

    rng, n, tests = np.random.default_rng(2), 90, 1152
    lattice = (rng.binomial(3, 0.5, (n, tests)) * 5 - rng.binomial(5, 0.55, (n, tests)) * 3) / 15
    for name, deltas in (
        ("exact, pass rates", lattice),
        ("10,000 flips, real values", rng.normal(0.02, 0.2, (n, tests))),
    ):
        one = deltas[:, :1]
        peer = _best_ms(
            lambda d=one: permutation_test(  # type: ignore[misc]
                (d,), np.mean, permutation_type="samples", n_resamples=10_000, vectorized=True, axis=0
            ),
            3,
        )
        yield _line(
            f"sign flip, {tests:,} tests of {n}: {name}",
            _best_ms(lambda d=deltas: sign_flip_tests(d), 3),  # type: ignore[misc]
            500,
            {f"scipy, {tests:,} x its time for one": tests * peer},
        )


def _bootstrap() -> Iterator[str]:
    """Also how far from the limit: the random numbers and the one matrix product that no method can spare."""
    import tracemalloc

    from scipy.stats import bootstrap

    from evalib.stats import bootstrap_means

    rng, resamples = np.random.default_rng(3), 10_000
    values = rng.random((213, 96))
    ours = _best_ms(lambda: bootstrap_means(values, n_resamples=resamples))
    start = time.perf_counter()
    bootstrap((values,), np.mean, n_resamples=resamples // 10, method="percentile", axis=0, batch=50)
    peer = 10_000 * (time.perf_counter() - start)
    tracemalloc.start()
    bootstrap_means(values, n_resamples=resamples)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    counts = rng.random((resamples, 213))
    limit = _best_ms(lambda: rng.integers(213, size=(resamples, 213), dtype=np.uint8)) + _best_ms(
        lambda: counts @ values
    )
    yield _line(f"bootstrap, 213 x 96 x {resamples:,}", ours, 200, {"scipy (from a tenth)": peer})
    yield f"    {'peak memory':52s} {peak:9.1f} MB (target 100)"
    yield f"    {'drawing and multiplying alone':52s} {limit:9.1f} ms"


def _kappa() -> Iterator[str]:
    import pandas as pd
    from statsmodels.stats.inter_rater import cohens_kappa

    from evalib.stats import agreement_ci

    rng = np.random.default_rng(4)
    human = rng.integers(1, 4, 63)
    judge = np.where(rng.random(63) < 0.8, human, rng.integers(1, 4, 63))
    ratings = pd.DataFrame({"conversation": range(63), "human": human, "judge": judge})
    ours = _best_ms(lambda: agreement_ci(ratings, "human", "judge", "conversation", [1, 2, 3], "quadratic"))

    def loop() -> None:
        for _ in range(500):
            rows = rng.integers(63, size=63)
            table = np.zeros((3, 3))
            np.add.at(table, (human[rows] - 1, judge[rows] - 1), 1)
            cohens_kappa(table, wt="quadratic")

    yield _line(
        "kappa, 63 conversations x 10,000",
        ours,
        100,
        {"loop over statsmodels (x 20)": 20 * _best_ms(loop, 2)},
    )
