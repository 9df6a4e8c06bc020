# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Quickstart: phone an agent, score the calls, look at what happened
#
# A caller with a goal phones a voice agent. Both speak and listen for real: the words are synthesised,
# sent over a line in 20 ms frames, detected, and recognised on the other side. Nothing here needs a key,
# a GPU or a network.
#
# What is real and what is not:
#
# - **Scenarios** are synthetic: our own passengers, flights and wording.
# - **The agent** is the *reference agent*, an instrument with known faults, not a competitor.
# - **Latencies** are *modelled* by a latency profile: they say nothing about this machine.
# - **Speech recognition** is real (Whisper tiny.en), so a misheard code is a misheard code.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import Audio, display

import evalib
from evalib import plots, stats

# %% [markdown]
# ## 1. What there is to call about

# %%
scenarios = evalib.load_scenarios(domain="airline")
for scenario in scenarios:
    print(
        f"{scenario.id:6s} {'adversarial' if scenario.adversarial else '':12s} {scenario.starting_utterance}"
    )

# %% [markdown]
# A scenario holds the caller's goal and what it will accept, the database that the agent's tools work on,
# and the state that a perfect call leaves behind.

# %%
change = next(s for s in scenarios if s.id == "E4.1")
print(change.goal["high_level_user_goal"])
for call in change.reference_calls:
    print(f"  {call['name']}({', '.join(f'{k}={v!r}' for k, v in call['arguments'].items())})")

# %% [markdown]
# ## 2. Phone two agents
#
# `careful` has no faults. `hasty` cuts in, skips confirmations, misreads codes aloud and now and then
# writes something wrong. Three scenarios, two trials each. (Cutting in costs turn-taking, a wrong write
# costs the task; the other two faults take the judged metrics to be seen.)

# %%
folder = Path(tempfile.mkdtemp()) / "quickstart"
run = evalib.simulate(
    [s for s in scenarios if s.id in ("E1.1", "E4.1", "E5.1")],
    agent=["careful", "hasty"],
    trials=2,
    seed=1,
    out=folder,
    progress=False,
)
run

# %% [markdown]
# ## 3. Listen to a call, and read it

# %%
call = run.select(system="hasty", scenario="E4.1")[0]
display(Audio(str(call.audio.mixed)))
for entry in call.trace:
    if entry.role in ("caller", "agent"):
        print(f"{entry.time_s:6.1f} s  turn {entry.turn}  {entry.role:7s} {entry.content}")
    elif entry.role == "tool_call":
        print(f"{entry.time_s:6.1f} s  turn {entry.turn}  -> {entry.content['name']}")

# %% [markdown]
# What the caller meant and what the agent heard are kept apart. This is where a cascade loses codes.

# %%
for text in call.texts:
    if text.caller_intended:
        print(f"meant: {text.caller_intended}\nheard: {text.caller_heard}\n")

# %% [markdown]
# ## 4. See it
#
# Two tracks on one clock, turn by turn, with the tool calls, the latencies and who cut in on whom.

# %%
fig, ax = plt.subplots(figsize=(12, 4))
plots.timeline(call, ax=ax)
plt.show()

# %% [markdown]
# ## 5. Score it
#
# Every number is one row of one table. What could not be scored says why: the judged metrics of EVA-A and
# EVA-X are not part of this version, so the composites are `not_run` rather than a guess.

# %%
scores = evalib.score(run)
headline = scores[~scores["metric"].str.contains(".", regex=False)]
headline.pivot_table(
    index=["metric", "status"], columns="system", values="value", aggfunc="mean", dropna=False
).dropna(how="all")
# %% [markdown]
# ## 6. What may be concluded
#
# pass@1 is the share of trials that pass, pass@k the share of scenarios that pass at least once, pass^k the
# chance to pass k times in a row. Intervals resample scenarios, because scenarios are what we have few of.

# %%
rates = stats.pass_rates(scores, metric="task_completion", threshold=1.0)
rates[
    [
        "system",
        "k",
        "pass_at_1",
        "pass_at_1_low",
        "pass_at_1_high",
        "pass_at_k",
        "pass_hat_k",
        "n_scenarios",
        "n_trials",
    ]
]

# %%
fig, ax = plt.subplots(figsize=(7, 3.5))
plots.pass_rate_bars(rates, ax=ax)
plt.show()

# %% [markdown]
# With three scenarios the intervals are wide, and that is the honest answer. Where all three agree the
# bootstrap has no width at all, which is no certainty: the report below adds the binomial bound.
#
# ## 7. The whole report

# %%
evalib.report(run, scores)
