"""Variance components against a second implementation: dense matrices and a general optimiser."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chi2

from evalib.stats.variance import variance_components
from evalib.stats.variance.balanced import isotonic, isotonic_draws
from evalib.stats.variance.design import CellSummary
from evalib.stats.variance.deviance import Deviance
from evalib.stats.variance.fit import identify, solve
from evalib.stats.variance.frames import nested_data

NAMES = ("scenario", "trial", "residual")


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def ragged(seed, sd=(0.7, 0.5, 0.6), n_domains=2, largest=5):
    """Random nested data: every scenario its own number of trials, every trial of passes."""
    rng = np.random.default_rng(seed)
    rows = []
    for domain in range(n_domains):
        for scenario in range(rng.integers(2, largest + 1)):
            a = rng.normal(0, sd[0])
            for trial in range(rng.integers(1, 5)):
                b = rng.normal(0, sd[1])
                for _ in range(rng.integers(1, 4)):
                    rows.append(
                        (f"d{domain}", f"{domain}-{scenario}", trial, domain + a + b + rng.normal(0, sd[2]))
                    )
    return pd.DataFrame(rows, columns=["domain", "scenario", "trial", "value"]).sample(
        frac=1, random_state=seed, ignore_index=True
    )


class Dense:
    """REML of nested effects with n x n matrices."""

    def __init__(self, frame, reml=True):
        self.y = frame["value"].to_numpy(float)
        self.x = pd.get_dummies(frame["domain"]).to_numpy(float)
        self.x = np.c_[np.ones(len(self.y)), self.x[:, 1:]]
        self.s = frame["scenario"].to_numpy()[:, None] == frame["scenario"].to_numpy()
        self.t = self.s & (frame["trial"].to_numpy()[:, None] == frame["trial"].to_numpy())
        self.reml = reml
        self.df = len(self.y) - self.x.shape[1] * reml

    def squares(self, scenario, trial, residual=1.0):
        v = residual * np.eye(len(self.y)) + scenario * self.s + trial * self.t
        inverse = np.linalg.inv(v)
        information = self.x.T @ inverse @ self.x
        r = self.y - self.x @ np.linalg.solve(information, self.x.T @ inverse @ self.y)
        logs = np.linalg.slogdet(v)[1] + self.reml * np.linalg.slogdet(information)[1]
        return logs, r @ inverse @ r

    def profiled(self, scenario, trial):
        logs, q = self.squares(scenario, trial)
        return logs + self.df * (np.log(q / self.df) + 1 + np.log(2 * np.pi))

    def full(self, scenario, trial, residual):
        logs, q = self.squares(scenario, trial, residual)
        return logs + q + self.df * np.log(2 * np.pi)

    def best(self):
        starts = [(0.1, 0.1), (3, 0.01), (0.01, 3), (3, 3)]
        ends = [
            minimize(lambda r: self.profiled(*r), s, bounds=[(0, None)] * 2, options={"ftol": 1e-13}).fun
            for s in starts
        ]
        return min(ends)


def deviance_of(frame, reml=True):
    data = nested_data(frame, "value", ("scenario", "trial"), ("domain",))
    design = identify(data.design).design
    summary = CellSummary.of(design, data.y)
    return Deviance(design, summary.means, float(summary.within.sum()), reml), summary


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([(0.7, 0.5, 0.6), (0, 0.5, 0.6), (0.7, 0, 0.6), (0, 0, 1), (3, 3, 0.01)]),
)
def test_the_optimum_is_no_worse_than_a_general_optimisers(seed, sd):
    frame = ragged(seed, sd)
    found = variance_components(frame)
    if not all(found.identifiable.values()):
        assert found.reason
        return
    twin = Dense(frame)
    v = found.components
    at = v["scenario"] / v["residual"], v["trial"] / v["residual"]
    assert found.criterion == pytest.approx(twin.profiled(*at), abs=1e-8)
    assert found.criterion <= twin.best() + 1e-8
    assert found.converged


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 50), st.floats(0, 50), st.booleans())
def test_the_deviance_at_any_ratio(seed, scenario, trial, reml):
    frame = ragged(seed)
    deviance, summary = deviance_of(frame, reml)
    offset = 2 * deviance.df * np.log(summary.scale)
    if not deviance.design.has_trials:
        trial = 0.0
    twin = Dense(frame, reml)
    assert deviance.profiled(scenario, trial) + offset == pytest.approx(
        twin.profiled(scenario, trial), abs=1e-8
    )


@pytest.mark.parametrize("reml", [True, False])
@pytest.mark.parametrize("at", [(0.4, 0.7), (0.0, 0.3), (0.3, 0.0), (0.0, 0.0), (80.0, 1500.0)])
def test_gradient_and_hessian_are_exact(at, reml):
    deviance, _ = deviance_of(ragged(5, n_domains=3), reml)
    at = np.array(at)
    _, gradient, hessian = deviance.profiled_of(deviance.parts(*at))
    full = deviance.full(deviance.parts(*at), -1.3)
    for i in range(2):
        h = 1e-4 * max(at[i], 0.01)
        # Fourth-order differences; the deviance extends smoothly below zero.
        steps = [at + k * h * np.eye(2)[i] for k in (-2, -1, 1, 2)]
        weights = np.array([1, -8, 8, -1]) / (12 * h)
        values = [deviance.profiled_of(deviance.parts(*s)) for s in steps]
        assert weights @ [v[0] for v in values] == pytest.approx(gradient[i], rel=1e-6, abs=1e-7 / h * 1e-3)
        assert weights @ np.array([v[1] for v in values]) == pytest.approx(hessian[i], rel=1e-6, abs=1e-9)
        fulls = [deviance.full(deviance.parts(*s), -1.3) for s in steps]
        assert weights @ np.array([f[1] for f in fulls]) == pytest.approx(full[2][i + 1], rel=1e-6, abs=1e-7)
    h = 1e-3
    fulls = [deviance.full(deviance.parts(*at), -1.3 + k * h) for k in (-2, -1, 1, 2)]
    weights = np.array([1, -8, 8, -1]) / (12 * h)
    assert weights @ [f[0] for f in fulls] == pytest.approx(full[1][0], rel=1e-8)
    assert weights @ np.array([f[1] for f in fulls]) == pytest.approx(full[2][0], rel=1e-8)


@pytest.mark.parametrize(
    "sd", [(0.7, 0.5, 0.6), (0.0, 0.5, 0.6), (0.7, 0.0, 0.6), (0.0, 0.0, 1.0), (1, 1, 1e-4)]
)
def test_closed_form_and_newton_agree_on_balanced_data(sd):
    rng = np.random.default_rng(3)
    s, t, _ = (a.ravel() for a in np.mgrid[0:14, 0:4, 0:3])
    y = sd[0] * rng.normal(size=14)[s] + sd[1] * rng.normal(size=56)[s * 4 + t] + sd[2] * rng.normal(size=168)
    frame = pd.DataFrame({"domain": np.where(s < 5, "a", "b"), "scenario": s, "trial": t, "value": y})
    data = nested_data(frame, "value", ("scenario", "trial"), ("domain",))
    summary = CellSummary.of(data.design, data.y)
    closed = solve(data.design, summary)
    object.__setattr__(data.design, "balanced", False)  # the same data, the other way
    newton = solve(data.design, summary)
    assert (closed.method, newton.method) == ("balanced closed form", "unbalanced Newton")
    assert newton.variances == pytest.approx(closed.variances, rel=1e-9, abs=1e-14)
    assert newton.criterion == pytest.approx(closed.criterion, abs=1e-8)
    assert newton.beta == pytest.approx(closed.beta, abs=1e-12)
    assert newton.covariance == pytest.approx(closed.covariance, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("shift", "scale"), [(1e6, 1.0), (0.0, 1e-9), (-3e4, 1e-3), (0.0, 1e90)])
def test_units_do_not_matter(seed, shift, scale):
    frame = ragged(seed)
    moved = frame.assign(value=frame["value"] * scale + shift)
    a, b = variance_components(frame), variance_components(moved)
    assert b.percent == pytest.approx(a.percent, rel=1e-8 if not shift else 1e-5, abs=1e-7, nan_ok=True)
    assert b.boundary == a.boundary


@pytest.mark.parametrize("exponent", [4, 8, 12])
def test_very_large_ratios(exponent):
    """Balanced data with one row taken out, so that Newton's answer must lie next to the closed form's."""
    rng = np.random.default_rng(1)
    s, t, _ = (a.ravel() for a in np.mgrid[0:60, 0:4, 0:3])
    y = (
        rng.normal(size=60)[s]
        + rng.normal(size=240)[s * 4 + t]
        + 10 ** (-exponent / 2) * rng.normal(size=720)
    )
    frame = pd.DataFrame({"scenario": s, "trial": t, "value": y})
    whole, part = (variance_components(f, fixed=()) for f in (frame, frame.iloc[1:]))
    assert part.method == "unbalanced Newton"
    assert part.converged
    for name, value in whole.components.items():
        assert part.components[name] == pytest.approx(value, rel=0.01)
    # The residual is then the mean square within trials, to the order of one over the ratio.
    within = (
        frame.iloc[1:].groupby(["scenario", "trial"])["value"].transform(lambda v: (v - v.mean()) ** 2).sum()
    )
    assert part.components["residual"] == pytest.approx(within / (719 - 240), rel=10.0**-exponent + 1e-9)


def test_row_order_changes_nothing():
    frame = ragged(8)
    a = variance_components(frame)
    b = variance_components(frame.iloc[::-1])
    assert a == b


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 10), st.integers(0, 5)), min_size=3, max_size=3))
def test_both_isotonic_fits_agree(pairs):
    squares = np.array([s if f else 0.0 for s, f in pairs])
    df = np.array([f for _, f in pairs], dtype=float)
    if not df.any():
        return
    single = isotonic(squares, df)
    draws = isotonic_draws(squares[:, None], df)[:, 0]
    assert draws[df > 0] == pytest.approx(single[df > 0], rel=1e-12, abs=1e-300)
    assert (np.diff(single) >= 0).all()


@pytest.mark.parametrize(("seed", "sd"), [(3, (0.7, 0.5, 0.6)), (4, (0.0, 0.5, 0.6)), (5, (0.8, 0.0, 0.6))])
def test_profile_ends_by_dense_matrices(seed, sd):
    """At an end the deviance, with the others at their best, is the optimum and the quantile."""
    frame = ragged(seed, sd, largest=9)
    found = variance_components(frame, intervals="profile", confidence=0.9)
    assert all(found.identifiable.values())
    twin, cut = Dense(frame), found.criterion + chi2.ppf(0.9, 1)

    def profile(i, value):
        def full(others):
            v = np.insert(others, i, value)
            return twin.full(*v)

        bounds = [(1e-6 if name == "residual" else 0, None) for j, name in enumerate(NAMES) if j != i]
        starts = [
            np.delete([0.5, 0.3, 0.4], i),
            np.delete([0.0, 0.0, 0.7], i),
            np.delete([0.05, 0.8, 0.2], i),
        ]
        return min(minimize(full, s, bounds=bounds, options={"ftol": 1e-14}).fun for s in starts)

    for i, name in enumerate(NAMES):
        low, high = found.low[name], found.high[name]
        assert low <= found.components[name] <= high
        assert profile(i, high) == pytest.approx(cut, abs=1e-5)
        if low > 0:
            assert profile(i, low) == pytest.approx(cut, abs=1e-5)
        else:
            assert name != "residual"
            assert profile(i, 0.0) <= cut + 1e-6
