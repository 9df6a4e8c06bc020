# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A tour of the statistics: methods tried on data whose truth is known
#
# A statistic is believed when it has found, again and again, a truth that somebody had hidden. So
# everything below is **simulated**: no number in this notebook says anything about a real voice agent.
# Each part hides a truth, asks one method of `evalib.stats` for it, and counts how often the method was
# right.
#
# | part | question | method |
# |---|---|---|
# | 1 | how often does a system succeed, at its best and reliably? | `pass_rates` |
# | 2 | how sure is that? | `bootstrap_ci`, `binomial_interval` |
# | 3 | did a perturbation hurt, is a system better? | `sign_flip_test`, `holm`, `perturbation_tests`, ... |
# | 4 | where does variance come from? | `variance_components`, `icc_oneway`, `anova_twoway`, ... |
# | 5 | does a judge agree with people? | `cohen_kappa`, `agreement_ci`, `annotator_agreement` |
# | 6 | how many trials and scenarios are enough? | `subsample_stability`, `plan_study` |
# | 7 | do conclusions hang on a threshold? | `threshold_sweep`, `pareto_front`, `architecture_contrasts` |

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from evalib import stats
from evalib.plots.palette import BLUE, GREEN, GREY, ORANGE, VERMILLION

SEED = 20
pd.set_option("display.max_colwidth", None)  # reasons are there to be read
DOMAINS = {"airline": 50, "medical_hr": 83, "itsm": 80}


def share(hits):
    """How often something happened, and the Monte Carlo standard error of that."""
    hits = np.asarray(hits, float)
    return f"{hits.mean():.3f} ± {np.sqrt(hits.mean() * (1 - hits.mean()) / len(hits)):.3f}"


# %% [markdown]
# ## 1. Pass rates
#
# Each scenario has its own chance $p$ of a passed trial, drawn from a Beta(1.2, 1.0) distribution: some
# scenarios are nearly always solved, others nearly never. With five trials each, the truth of all three
# rates is known in closed form: pass@1 is $E[p]$, pass@k is $1 - E[(1-p)^k]$ and pass^k is $E[p^k]$.

# %%
A, B, K = 1.2, 1.0, 5


def beta_moment(a, b, k):
    """E[p^k] of a Beta(a, b)."""
    return np.prod([(a + i) / (a + b + i) for i in range(k)])


truth = {
    "pass_at_1": beta_moment(A, B, 1),
    "pass_at_k": 1 - beta_moment(B, A, K),
    "pass_hat_k": beta_moment(A, B, K),
    "pass_hat_k_unbiased": beta_moment(A, B, K),
}


def pass_table(rng, n=DOMAINS, trials=K):
    """A score table of one simulated system."""
    rows = []
    for domain, count in n.items():
        passed = rng.random((count, trials)) < rng.beta(A, B, count)[:, None]
        scenario, trial = np.indices(passed.shape).reshape(2, -1)
        rows.append(
            pd.DataFrame(
                {"domain": domain, "scenario": scenario, "trial": trial, "value": passed.ravel() * 1.0}
            )
        )
    return pd.concat(rows).assign(system="simulated", metric="eva_a_pass", condition="clean", status="ok")


one = stats.pass_rates(pass_table(np.random.default_rng(SEED)))
pd.DataFrame(
    {
        "truth": truth,
        "estimate": {r: one[r].iloc[0] for r in truth},
        "low": {r: one[f"{r}_low"].iloc[0] for r in truth},
        "high": {r: one[f"{r}_high"].iloc[0] for r in truth},
    }
).round(3)

# %% [markdown]
# Two estimates of pass^k stand side by side. The paper raises the observed rate to the $k$-th power; with
# five trials that is too high on average, because $x^k$ bends upwards. The unbiased one counts the sets of
# $k$ trials that all passed. Repeated over many simulated studies, and over $k$:

# %%
rng = np.random.default_rng(SEED)
p = rng.beta(A, B, (400, 213))
passed = rng.binomial(K, p)
ks = np.arange(1, K + 1)
rates = np.array(
    [
        stats.scenario_rates(passed.ravel(), np.full(passed.size, K), k).reshape(*passed.shape, 4).mean(1)
        for k in ks
    ]
)
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for column, name, colour, marker in (
    (1, "pass@k", BLUE, "o"),
    (2, "pass^k, observed rate to the k (paper)", VERMILLION, "s"),
    (3, "pass^k, unbiased", GREEN, "^"),
):
    ax.plot(ks, rates[:, :, column].mean(1), marker, color=colour, label=name, ms=7)
ax.plot(ks, [1 - beta_moment(B, A, k) for k in ks], color=GREY, lw=1, label="truth")
ax.plot(ks, [beta_moment(A, B, k) for k in ks], color=GREY, lw=1)
ax.set(
    xlabel="k",
    ylabel="rate, mean of 400 studies",
    xticks=ks,
    ylim=(0, 1),
    title="Pass rates against k (simulated)",
)
ax.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# Unequal numbers of trials, and trials without a value, are the rule in practice. Each scenario keeps its
# own $n$; a scenario with fewer than $k$ trials is left out *and counted*; and what the rates would be if
# every missing trial had failed stands beside them.

# %%
ragged = pass_table(np.random.default_rng(SEED + 1))
lost = np.random.default_rng(2).random(len(ragged)) < 0.06
ragged.loc[lost, ["value", "status"]] = [np.nan, "infra_error"]
stats.pass_rates(ragged, k=4).T

# %% [markdown]
# ## 2. Intervals
#
# What varies independently is the scenario, so scenarios are resampled, never single trials. Below, the
# share of intervals that hold the truth, for scenario means of the Beta(1.2, 1.0) world and of a hard one,
# Beta(0.15, 3), where most scenarios are never solved. It should be 0.95.

# %%
STUDIES = 300


def coverage(a, b, n, method, rng, trials=K):
    """Share of bootstrap intervals that hold the true pass rate a / (a + b)."""
    hits = []
    for _ in range(STUDIES):
        values = rng.binomial(trials, rng.beta(a, b, n)) / trials
        found = stats.bootstrap_ci(values, n_resamples=1000, method=method, rng=rng)
        hits.append(found.low <= a / (a + b) <= found.high)
    return hits


rng = np.random.default_rng(SEED)
covered = {
    (world, method, n): coverage(*beta, n, method, rng)
    for world, beta in {"medium, rate 0.55": (1.2, 1.0), "hard, rate 0.05": (0.15, 3.0)}.items()
    for method in ("percentile", "bca")
    for n in (15, 30, 90, 213)
}
fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for ax, world in zip(axes, ("medium, rate 0.55", "hard, rate 0.05"), strict=True):
    for method, colour, marker in (("percentile", BLUE, "o"), ("bca", VERMILLION, "s")):
        y = np.array([np.mean(covered[world, method, n]) for n in (15, 30, 90, 213)])
        error = 1.96 * np.sqrt(y * (1 - y) / STUDIES)
        x = np.arange(4) + (0.06 if method == "bca" else -0.06)  # side by side, not one on the other
        ax.errorbar(x, y, error, fmt=marker + "-", color=colour, capsize=3, label=method)
    ax.axhline(0.95, color=GREY, lw=1, ls="--")
    ax.set(xticks=range(4), xticklabels=(15, 30, 90, 213), xlabel="scenarios", title=f"{world} (simulated)")
axes[0].set_ylabel(f"coverage in {STUDIES} studies")
axes[0].legend(frameon=False)
plt.show()

# %% [markdown]
# With few scenarios and a rate near 0 the percentile interval is too short. BCa, which corrects for bias
# and skewness, helps where scenarios have five trials and so many possible means; where each scenario is
# all or nothing it does not (the docstring of `bootstrap_ci` has exact coverages). No bootstrap helps a
# sample in which nothing passed: there is nothing to resample. Such an interval has no width, and its
# `reason` says so. The exact binomial bound over scenarios still says something:

# %%
print(stats.bootstrap_ci(np.zeros(30)))
print(stats.binomial_interval(0, 30, alternative="upper"))

# %% [markdown]
# The half-widths that the paper prints behave like the *longer arm* of the interval, not like half its
# width. Both are there, by name.

# %%
found = stats.bootstrap_ci(np.random.default_rng(1).binomial(5, 0.9, 30) / 5)
{"half_width": round(found.half_width, 4), "longer_arm": round(found.longer_arm, 4)}

# %% [markdown]
# ## 3. Did a perturbation hurt?
#
# One difference per scenario, perturbed minus clean. If the perturbation did nothing, each difference
# could as well have had the other sign: flipping signs in all possible ways gives the exact p-value. With
# five clean and three perturbed trials that are passed or failed, all differences are multiples of 1/15,
# and all $2^{90}$ ways are counted in milliseconds.

# %%
deltas = (
    np.random.default_rng(SEED).binomial(3, 0.45, 90) / 3
    - np.random.default_rng(SEED + 1).binomial(5, 0.6, 90) / 5
)
stats.sign_flip_test(deltas)

# %% [markdown]
# **Size and power.** The share of studies of 90 scenarios with p < 0.05, against the true drop in pass
# rate. At zero it is the false alarm rate, which must not exceed 0.05; with Holm over three conditions,
# the chance of *any* false alarm must not either.

# %%
rng = np.random.default_rng(SEED)
drops = np.array([0, 0.03, 0.06, 0.09, 0.12, 0.15])
studies = 400
power, family = [], []
for drop in drops:
    p = np.clip(rng.beta(3, 2, (90, studies, 1)), drop, 1)
    clean = rng.binomial(5, p) / 5
    perturbed = rng.binomial(3, p - drop, (90, studies, 3)) / 3
    pvalues = stats.sign_flip_tests((perturbed - clean).reshape(90, -1)).pvalue.reshape(studies, 3)
    power.append((pvalues[:, 0] < 0.05).mean())
    family.append(np.mean([(stats.holm(p) < 0.05).any() for p in pvalues]))
fig, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
ax.plot(drops, power, "o-", color=BLUE, label="one test")
ax.plot(drops, family, "s--", color=ORANGE, label="any of three conditions, after Holm")
ax.axhline(0.05, color=GREY, lw=1, ls=":")
ax.text(drops[-1], 0.06, "0.05", color=GREY, ha="right")
ax.set(xlabel="true drop in pass rate", ylabel=f"share of {studies} studies with p < 0.05", ylim=(0, 1.02))
ax.set_title("Sign-flip test, 90 scenarios, 5 clean and 3 perturbed trials (simulated)", fontsize=10)
ax.legend(frameon=False)
plt.show()
print("false alarms: one test", power[0], "- any of three after Holm", family[0])

# %% [markdown]
# **A whole study at once.** Two systems, three domains and the three together, two conditions. `accented`
# takes 15 points from system `A` and nothing from `B`; `noisy` does nothing to either.


# %%
def perturbed_study(rng, effect):
    rows = []
    for system in ("A", "B"):
        for domain in DOMAINS:
            p = np.clip(rng.beta(3, 2, 30), 0.15, 1)
            for condition, trials in (("clean", 5), ("accented", 3), ("noisy", 3)):
                passed = rng.random((30, trials)) < (p - effect.get((system, condition), 0))[:, None]
                scenario, trial = np.indices(passed.shape).reshape(2, -1)
                rows.append(
                    pd.DataFrame(
                        {
                            "system": system,
                            "domain": domain,
                            "condition": condition,
                            "scenario": scenario,
                            "trial": trial,
                            "metric": "task_completion",
                            "value": passed.ravel() * 1.0,
                        }
                    )
                )
    return pd.concat(rows, ignore_index=True)


study = perturbed_study(np.random.default_rng(SEED), {("A", "accented"): 0.15})
tests = stats.perturbation_tests(study)
tests[
    ["system", "domain", "condition", "mean_delta", "low", "high", "pvalue", "p_holm", "family_size", "stars"]
].round(4)

# %% [markdown]
# Thirty scenarios of one domain are few: 15 points are found there only with luck. The three domains
# together find them, and their interval holds the true -0.15.
#
# **Is one system better than another?** The same test, between systems on the same scenarios. `cautious`
# truly passes 12 points more often than `quick`. A hard scenario is hard for both and cancels in the
# difference, so the pair tells more than two intervals side by side.

# %%
rng = np.random.default_rng(SEED)
rows = []
for domain in DOMAINS:
    p = np.clip(rng.beta(1.2, 1.0, 60), 0.06, 0.94)
    for system, shift in (("cautious", 0.06), ("quick", -0.06)):
        passed = rng.random((60, 5)) < (p + shift)[:, None]
        scenario, trial = np.indices(passed.shape).reshape(2, -1)
        one = pd.DataFrame({"scenario": scenario, "trial": trial, "value": passed.ravel() * 1.0})
        rows.append(one.assign(system=system, domain=domain, metric="task_completion"))
two = pd.concat(rows, ignore_index=True)
alone = stats.pooled_estimate(two, "task_completion")
print(alone[["system", "estimate", "low", "high"]].round(3).to_string(index=False))
compared = stats.compare_systems(two)
compared[["domain", "system_a", "system_b", "mean_difference", "low", "high", "pvalue", "stars"]].round(4)

# %% [markdown]
# ## 4. Where does the variance come from?
#
# A score varies because scenarios differ, because trials of a scenario differ, and because a judge does
# not always give the same trial the same score. Three judge passes of five trials of 213 scenarios tell
# the three apart (paper, appendix H.1).

# %%
TRUE = {"scenario": 0.030, "trial": 0.050, "residual": 0.020}


def judged(rng, variances=TRUE, trials=5, passes=3, domains=DOMAINS):
    """Scores with known variance at each level."""
    domain = np.repeat(list(domains), list(domains.values()))
    score = (
        0.6
        + 0.1 * (domain == "itsm")[:, None, None]
        + rng.normal(0, variances["scenario"] ** 0.5, (len(domain), 1, 1))
        + rng.normal(0, variances["trial"] ** 0.5, (len(domain), trials, 1))
        + rng.normal(0, variances["residual"] ** 0.5, (len(domain), trials, passes))
    )
    scenario, trial, judge_pass = np.indices(score.shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "domain": domain[scenario],
            "scenario": scenario,
            "trial": trial,
            "judge_pass": judge_pass,
            "value": score.ravel(),
        }
    )


rng = np.random.default_rng(SEED)
stats.variance_components(judged(rng), intervals="profile")

# %% [markdown]
# **Recovery.** 200 balanced studies, and 200 in which a fifth of the scores is missing. The lines are the
# truth.

# %%
rng = np.random.default_rng(SEED)
found = []
for _ in range(200):
    whole = judged(rng)
    for design, data in (("balanced", whole), ("a fifth missing", whole[rng.random(len(whole)) > 0.2])):
        found.append({"design": design, **stats.variance_components(data).components})
found = pd.DataFrame(found)
fig, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
for ax, (name, true) in zip(axes, TRUE.items(), strict=True):
    parts = [found.loc[found["design"] == d, name] for d in ("balanced", "a fifth missing")]
    ax.hist(parts, bins=20, color=[BLUE, ORANGE], label=["balanced", "a fifth missing"])
    ax.axvline(true, color=GREY, label="truth")
    ax.set(title=name, xlabel="variance")
axes[0].set_ylabel("studies")
axes[0].legend(frameon=False, fontsize=8)
plt.show()
found.groupby("design").agg(["mean", "std"]).round(4)

# %% [markdown]
# **Coverage** of the profile intervals, in smaller studies of 45 scenarios:

# %%
rng = np.random.default_rng(SEED)
fits = [
    stats.variance_components(judged(rng, domains=dict.fromkeys(DOMAINS, 15)), intervals="profile")
    for _ in range(60)
]
for name, true in TRUE.items():
    print(f"{name:9s}", share([fit.low[name] <= true <= fit.high[name] for fit in fits]))

# %% [markdown]
# **At the boundary.** When trials do not differ at all, the best estimate of the trial variance is exactly
# 0 in about half of all studies. The result says so; it is not a failure to converge.

# %%
rng = np.random.default_rng(SEED)
fits = [stats.variance_components(judged(rng, TRUE | {"trial": 0.0})) for _ in range(200)]
print("trial variance on the boundary:", share(["trial" in fit.boundary for fit in fits]))
print("largest estimate otherwise:   ", f"{max(fit.components['trial'] for fit in fits):.5f}")

# %% [markdown]
# **What a design cannot say** is named, not guessed: with one judge pass, the noise of the judge and of
# the trial are one.

# %%
once = judged(np.random.default_rng(SEED), passes=1)
stats.variance_components(once)

# %% [markdown]
# **ICC.** One-way, with the exact interval from the F distribution: does it hold the truth in 95% of
# studies?

# %%
rng = np.random.default_rng(SEED)
true_icc, hits = 0.2, []
for _ in range(400):
    score = rng.normal(0, true_icc**0.5, (50, 1)) + rng.normal(0, (1 - true_icc) ** 0.5, (50, 20))
    group, _ = np.indices(score.shape)
    icc = stats.icc_oneway(pd.DataFrame({"y": score.ravel(), "scenario": group.ravel()}), "y", "scenario")
    hits.append(icc.low <= true_icc <= icc.high)
print("coverage of the ICC interval:", share(hits))

# %% [markdown]
# **Systems and scenarios.** Is a scenario hard for all systems alike, or does each system have its own
# hard ones? The interaction of a two-way random-effects ANOVA tells (paper, Table 36).

# %%
rng = np.random.default_rng(SEED)
effects = {"scenario": 0.09, "system": 0.02, "interaction": 0.04, "residual": 0.25}
score = (
    rng.normal(0, effects["scenario"] ** 0.5, (1, 200, 1))
    + rng.normal(0, effects["system"] ** 0.5, (12, 1, 1))
    + rng.normal(0, effects["interaction"] ** 0.5, (12, 200, 1))
    + rng.normal(0, effects["residual"] ** 0.5, (12, 200, 5))
)
system, scenario, _ = np.indices(score.shape).reshape(3, -1)
two_way = pd.DataFrame({"y": score.ravel(), "system": system, "scenario": scenario})
found = stats.anova_twoway(two_way, "y", rows="scenario", cols="system")
print("F of the interaction:", round(found.F_interaction, 2), " p:", found.p_interaction)
pd.DataFrame({"truth": effects, "found": found.components, "percent": found.percent}).round(3)

# %% [markdown]
# **Judge noise against trial noise**, the comparison of Table 37: per scenario, the standard deviation
# over trials minus that over judge passes. Both tests are one-sided. The standard deviations are those of
# the sample at hand (`ddof=0`, as the published ones seem to be), so three passes of a judge with true SD
# 0.14 show about 0.10.

# %%
noisy = judged(np.random.default_rng(SEED)).assign(
    metric="faithfulness", system="simulated", judge="simulated"
)
stats.judge_trial_noise(noisy)[["domain", "n_records", "judge_sd", "trial_sd", "p_sign_flip", "p_sign"]]

# %% [markdown]
# ## 5. Does a judge agree with people?
#
# Two people and a judge rate 63 conversations from 1 to 3. Each errs independently, so the true kappa
# follows from the confusion probabilities; the interval resamples conversations.

# %%
LABELS, PRIOR = [1, 2, 3], np.array([0.35, 0.35, 0.30])


def confusion(accuracy):
    """P(rating | truth): right with `accuracy`, else mostly the neighbouring category."""
    other = np.array([[0, 0.8, 0.2], [0.5, 0, 0.5], [0.2, 0.8, 0]])
    return accuracy * np.eye(3) + (1 - accuracy) * other


def true_kappa(a, b):
    """Quadratic-weighted kappa of two raters who err independently."""
    joint = (confusion(a) * PRIOR[:, None]).T @ confusion(b)
    cost = np.subtract.outer(range(3), range(3)) ** 2
    return 1 - (joint * cost).sum() / (np.outer(joint.sum(1), joint.sum(0)) * cost).sum()


def rated(rng, n=63, accuracy=(0.85, 0.85, 0.9)):
    """Ratings of two people and a judge."""
    truth = rng.choice(3, n, p=PRIOR)
    ratings = {"conversation": range(n)}
    for name, a in zip(("human_1", "human_2", "judge"), accuracy, strict=True):
        reached = rng.random((n, 1)) > confusion(a).cumsum(axis=1)[truth]
        ratings[name] = np.array(LABELS)[np.minimum(reached.sum(axis=1), 2)]
    return pd.DataFrame(ratings)


print(
    "true kappa: human-human",
    round(true_kappa(0.85, 0.85), 3),
    " human-judge",
    round(true_kappa(0.85, 0.9), 3),
)
ratings = rated(np.random.default_rng(SEED))

stats.annotator_agreement(
    ratings, "judge", ("human_1", "human_2"), "conversation", LABELS, weights="quadratic"
).round(3)

# %% [markdown]
# `IAA-J` pools both pairings of the judge with a person, `IAA-J random` takes one person per record at
# random, `IAA-H` is how far the people agree with each other. How often does the interval hold the true
# kappa?

# %%
rng = np.random.default_rng(SEED)
target = true_kappa(0.85, 0.9)
for n in (63, 250):
    hits = []
    for _ in range(400):
        ci = stats.agreement_ci(
            rated(rng, n), "human_1", "judge", "conversation", LABELS, "quadratic", n_resamples=1000, rng=rng
        )
        hits.append(ci.kappa_low <= target <= ci.kappa_high)
    print(f"coverage of the kappa interval, {n} conversations:", share(hits))

# %% [markdown]
# With 63 conversations the percentile interval is a little short.
#
# Kappa alone can mislead: when nearly everything is in one category, two raters who agree on 96% of all
# items may have a kappa near zero. Percent agreement and Gwet's AC1 stand beside it, and a sample with one
# category only gets a reason, not a bare NaN.

# %%
a = ["pass"] * 96 + ["fail"] * 2 + ["pass"] * 2
b = ["pass"] * 96 + ["pass"] * 2 + ["fail"] * 2
print(stats.cohen_kappa(a, b, ["fail", "pass"]))
print(stats.gwet_ac1(a, b, ["fail", "pass"]))
print(stats.cohen_kappa(["pass"] * 20, ["pass"] * 20, ["fail", "pass"]).reason)

# %% [markdown]
# ## 6. How many trials, how many scenarios?
#
# How far would the estimate have moved with fewer of the trials? Random subsets of trials answer by
# drawing (paper, H.2), and the variance of a sample without replacement answers in closed form.

# %%
table = pass_table(np.random.default_rng(SEED))
stability = stats.subsample_stability(table, "eva_a_pass", ks=(1, 2, 3, 4))
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(stability["k"], stability["width"], "o", color=BLUE, ms=8, label="2,000 random subsets")
ax.plot(stability["k"], stability["closed_form_width"], "-", color=GREY, label="closed form")
first = stability["closed_form_width"].iloc[0]
ax.plot(stability["k"], first / np.sqrt(stability["k"]), ":", color=VERMILLION, label="falling as $k^{-1/2}$")
ax.set(xlabel="trials kept of 5", ylabel="width of the 95% interval", xticks=[1, 2, 3, 4], ylim=(0, None))
ax.legend(frameon=False)
ax.set_title("Spread from dropping trials (simulated)", fontsize=10)
plt.show()

# %% [markdown]
# Planning turns the question round: what does a wanted precision cost? From the variance between scenarios
# and between trials of a scenario. `interaction_variance` is the part of the former that two systems do not
# share: the rest cancels when they are compared on the same scenarios.

# %%
stats.plan_study(scenario_variance=0.10, trial_variance=0.15, interaction_variance=0.04, half_width=0.05)

# %% [markdown]
# ## 7. Thresholds, frontiers, few systems
#
# Twelve simulated systems in three architectures. Do conclusions hang on where the turn-taking threshold
# was put?

# %%
rng = np.random.default_rng(SEED)
ARCHITECTURES = ["cascade"] * 7 + ["hybrid"] * 2 + ["s2s"] * 3
LEVELS = {"cascade": 0.55, "hybrid": 0.35, "s2s": 0.85}
rows = []
for i, architecture in enumerate(ARCHITECTURES):
    level = np.clip(LEVELS[architecture] + rng.normal(0, 0.1), 0.05, 0.95)
    for domain in DOMAINS:
        values = {
            "turn_taking": rng.beta(6 * level, 6 * (1 - level), (30, 5)),
            "conciseness": np.clip(rng.normal(0.78, 0.11, (30, 5)), 0, 1),
            "conversation_progression": rng.choice([0, 0.5, 1], (30, 5), p=[0.19, 0.42, 0.39]),
        }
        scenario, trial = np.indices((30, 5)).reshape(2, -1)
        rows += [
            pd.DataFrame(
                {
                    "system": f"system {i + 1:02d}",
                    "architecture": architecture,
                    "domain": domain,
                    "scenario": scenario,
                    "trial": trial,
                    "metric": metric,
                    "value": value.ravel(),
                }
            )
            for metric, value in values.items()
        ]
twelve = pd.concat(rows, ignore_index=True)
sweep = stats.threshold_sweep(
    twelve, "turn_taking", np.arange(0.5, 0.96, 0.05).round(2), composite="eva_x_pass", by=("system",)
)
fig, ax = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
styles = {"cascade": (BLUE, "o-"), "hybrid": (ORANGE, "s--"), "s2s": (GREEN, "^:")}
architecture_of = twelve.groupby("system")["architecture"].first()
for name, line in sweep.groupby("system"):
    colour, style = styles[architecture_of[name]]
    ax.plot(line["threshold"], line["pass_at_1"], style, color=colour, ms=4, lw=1)
for name, (colour, style) in styles.items():
    ax.plot([], [], style, color=colour, label=name)
ax.axvline(0.8, color=GREY, lw=1)
ax.text(0.805, 0.95, "the paper's", color=GREY, fontsize=8)
ax.set(xlabel="turn-taking threshold", ylabel="EVA-X pass@1", title="Twelve simulated systems", ylim=(0, 1))
ax.legend(frameon=False)
plt.show()

# %%
stats.sweep_stability(sweep, anchor=0.8)

# %% [markdown]
# Which systems would nobody pass over, having two goals at once? A system is beaten when another is at
# least as good in both and better in one; the frontier is the rest. Twelve other simulated systems:

# %%
points = pd.DataFrame({"accuracy": rng.beta(4, 6, 12), "experience": rng.beta(3, 6, 12)})
front = stats.pareto_front(points, "accuracy", "experience")
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.scatter(*points[~front].to_numpy().T, color=GREY, marker="o", label="beaten by another")
ax.scatter(*points[front].to_numpy().T, color=VERMILLION, marker="D", label="frontier")
ax.set(xlabel="accuracy pass@1", ylabel="experience pass@1", title="Twelve simulated systems")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown]
# Architectures are compared over *systems*, and there are few: resampling two or three of them cannot
# reach beyond the two or three values seen. The table says so.

# %%
means = (
    twelve[twelve["metric"] == "turn_taking"]
    .groupby(["architecture", "system"], as_index=False)["value"]
    .mean()
)
stats.architecture_contrasts(means, "value")
