"""The published figures, put through our functions: what the authors derived comes out again.

Sources, read where they lie and never committed: the leaderboard's estimates, p-values and Holm-corrected
p-values, and the paper's text for its tables.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest

from evalib.stats import architecture_contrasts, correlation, cross_domain_sd, holm, pareto_front

# The paper's twelve systems in the order of its tables, by their names on the leaderboard.
SYSTEMS = [
    "Cohere + Gemma-4-26B + Voxtral",
    "Scribe v2.2 Realtime + Gemini 3 Flash + TTS Conversational v3 (ElevenAgents)",
    "Ink Whisper + Haiku 4.5 + Sonic 3",
    "Nova 3 + GPT-5.4 + Sonic 3",
    "Nova 3 + GPT-5.4-mini + Aura 2",
    "Parakeet 1.1 + Gemma 31B + Kokoro",
    "Whisper Large v3 + Qwen35-27B + Voxtral",
    "Gemini 3 Flash + Gemini 3.1 Flash TTS",
    "Ultravox",
    "Gemini 3.1 Flash Live",
    "GPT Realtime 1.5",
    "GPT Realtime Mini",
]
RATES = ["_pass", "_pass_at_k", "_pass_power_k"]
COLUMNS = {
    29: [f"EVA-A{r}" for r in RATES] + ["task_completion", "faithfulness", "agent_speech_fidelity"],
    31: [f"EVA-X{r}" for r in RATES] + ["turn_taking", "conciseness", "conversation_progression"],
}


@pytest.fixture(scope="module")
def systems(shared):
    path = shared / "eva-bench" / "leaderboardStats.json"
    if not path.is_file():
        pytest.skip(f"no leaderboard figures at {path}")
    return {s["name"]: s for s in json.loads(path.read_text(encoding="utf-8"))["systems"]}


@pytest.fixture(scope="module")
def paper(shared):
    path = shared / "seeds" / "000_b38c22c73d69ac0e.txt"
    if not path.is_file():
        pytest.skip(f"no text of the paper at {path}")
    return path.read_text(encoding="utf-8").splitlines()


def printed(paper, number):
    """The last six numbers of each system's row of a table."""
    start = next(i for i, line in enumerate(paper) if line.startswith(f"Table {number}:"))
    rows = []
    for line in paper[start + 1 :]:
        found = re.findall(r"(?<![\d.])\d\.\d{3}(?!\d)", line)
        if line.startswith("|") and len(found) >= 6:
            rows.append([float(x) for x in found[-6:]])
        elif rows:
            return rows
    return rows


def family(system, metric, what, field):
    """Of one system and metric: a row per condition, a column per domain (or the pooled one)."""
    conditions = system["perturbation_delta"][metric].values()
    return np.array(
        [[c[what][field]] if what == "pooled" else [d[field] for d in c[what].values()] for c in conditions],
        dtype=float,
    )


def test_holm_over_all_of_the_domains_and_apart_over_the_pooled_gives_the_published_p_values(systems):
    checked = 0
    for name in SYSTEMS:
        for metric in systems[name]["perturbation_delta"]:
            for what in ("per_domain", "pooled"):
                raw = family(systems[name], metric, what, "raw_p")
                assert len(raw) == 3
                np.testing.assert_allclose(
                    holm(raw), family(systems[name], metric, what, "corrected_p"), atol=1e-9
                )
                checked += 1
    assert checked >= 2 * 12 * 8  # a few have two domains, and one family of six


def test_holm_within_a_domain_as_the_text_has_it_does_not(systems):
    same = []
    for name in SYSTEMS:
        for metric in systems[name]["perturbation_delta"]:
            raw, corrected = (
                family(systems[name], metric, "per_domain", f) for f in ("raw_p", "corrected_p")
            )
            same.append(np.allclose(np.column_stack([holm(p) for p in raw.T]), corrected, atol=1e-9))
    assert np.mean(same) < 0.1


@pytest.mark.parametrize("number", [29, 31])
def test_every_cross_domain_sd_of_the_paper(systems, paper, number):
    rows = [
        {"system": name, "metric": metric, "domain": domain, "estimate": found["point"]}
        for name in SYSTEMS
        for metric in COLUMNS[number]
        for domain, found in systems[name]["clean"][metric]["per_domain"].items()
    ]
    found = cross_domain_sd(pd.DataFrame(rows), by=("system", "metric")).set_index(["system", "metric"])["sd"]
    table = printed(paper, number)
    assert len(table) == len(SYSTEMS)
    for name, row in zip(SYSTEMS, table, strict=True):
        for metric, sd in zip(COLUMNS[number], row, strict=True):
            assert found[name, metric] == pytest.approx(sd, abs=0.00051), (name, metric)


def test_the_four_systems_on_the_frontier_of_figure_2(systems):
    points = [[systems[n]["clean"][f"EVA-{x}_pass"]["pooled"]["point"] for x in "AX"] for n in SYSTEMS]
    front = [n for n, on in zip(SYSTEMS, pareto_front(points), strict=True) if on]
    assert [n.split(" + ")[0] for n in front] == [
        "Scribe v2.2 Realtime",
        "Nova 3",
        "Gemini 3.1 Flash Live",
        "GPT Realtime 1.5",
    ]


def test_figure_6_key_entities_against_task_completion(systems):
    """r = 0.93, p = 0.002 in print; the leaderboard has completion on 213 scenarios, key entities on 90."""
    cascades = [systems[n] for n in SYSTEMS if systems[n]["type"] == "cascade"]
    entities = [
        s["metric_values"]["transcription_accuracy_key_entities"]["clean"]["pooled"]["point"]
        for s in cascades
    ]
    found = correlation(entities, [s["clean"]["task_completion"]["pooled"]["point"] for s in cascades])
    assert found.n == 7
    assert found.r == pytest.approx(0.93, abs=0.01)
    assert found.pvalue == pytest.approx(0.002, abs=0.001)


def test_table_24_from_the_systems_of_table_26():
    """Finish and authentication rates of table 26 give table 24's means, and its difference with interval."""
    table = {
        "auth": ([0.85, 0.65, 0.60, 0.68, 0.83, 0.89, 0.87], [0.84, 0.92], [0.93, 0.83, 0.88]),
        "finish": ([0.66, 0.67, 0.75, 0.79, 0.90, 0.97, 0.97], [0.87, 0.90], [0.99, 0.97, 0.95]),
    }
    expected = {
        "auth": {
            "cascade": (0.77,),
            "hybrid": (0.88, 0.84, 0.92),
            "s2s": (0.88, 0.83, 0.93),
            "s2s - cascade": (0.113, 0.024, 0.209),
        },
        "finish": {
            "cascade": (0.82,),
            "hybrid": (0.89, 0.87, 0.90),
            "s2s": (0.97, 0.95, 0.99),
            "s2s - cascade": (0.152, 0.060, 0.245),
        },
    }
    for facet, groups in table.items():
        rows = [
            {"system": f"{name} {i}", "architecture": name, "value": v}
            for name, values in zip(("cascade", "hybrid", "s2s"), groups, strict=True)
            for i, v in enumerate(values)
        ]
        found = architecture_contrasts(pd.DataFrame(rows), reference="cascade").set_index("contrast")
        for contrast, values in expected[facet].items():
            got = found.loc[contrast, ["estimate", "low", "high"][: len(values)]].to_numpy(float)
            np.testing.assert_allclose(got, values, atol=0.0055)
        assert found["descriptive"].to_dict() == {
            "cascade": False,
            "hybrid": True,
            "s2s": True,
            "hybrid - cascade": True,
            "s2s - cascade": True,
        }
