"""Loading: every published domain and language, and one clear line for whatever is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalib.core import DOMAINS, LANGUAGES, ConfigError, DataFormatError, EvalibError, ScenarioError
from evalib.domains import load_scenarios
from evalib.domains.package_data import data_folder
from evalib.domains.placeholders import add_name_aliases, fill, fill_locations, token_values

TOKEN = re.compile(r"<(?:FIRST_NAME|LAST_NAME|PHONE|COMPANION_FIRST_NAME|LOC:)[^>]*>")


def everything(scenario: Any) -> str:
    parts = (
        scenario.starting_utterance,
        scenario.goal,
        scenario.caller,
        scenario.initial_db,
        scenario.expected_db,
        scenario.reference_calls,
        scenario.context,
    )
    return json.dumps(parts, ensure_ascii=False)


# ---- placeholders

CULTURE = {
    "en": {"first_name": "Ada", "last_name": "Quill", "phone": "+1", "companion": {"first_name": "Bo"}},
    "ko": {"first_name": "아다", "last_name": "퀼"},
    "fr": {"first_name": "Adèle", "last_name": "Plume"},
}
ROMANIZED = {"ko": {"first_name": "Ada", "last_name": "Kwil"}}


def test_tokens_of_a_language() -> None:
    text = "<FIRST_NAME> <LAST_NAME> <FIRST_NAME_ROMANIZED>.<LAST_NAME_ROMANIZED>@x <PHONE> "
    text += "<COMPANION_FIRST_NAME>"
    assert fill(text, token_values(CULTURE, ROMANIZED, "en")) == "Ada Quill ada.quill@x +1 Bo"
    assert fill(text, token_values(CULTURE, ROMANIZED, "ko")) == (
        "아다 퀼 ada.kwil@x <PHONE> <COMPANION_FIRST_NAME>"
    )
    # no romanized names: the plain ones, lower-cased
    assert fill(text, token_values(CULTURE, ROMANIZED, "fr")).startswith("Adèle Plume adèle.plume@x")


def test_companion_romanized() -> None:
    filled = fill("<COMPANION_FIRST_NAME_ROMANIZED>", token_values(CULTURE, {}, "en"))
    assert filled == "bo"


def test_filling_reaches_every_value_and_no_key() -> None:
    tokens = token_values(CULTURE, ROMANIZED, "en")
    value = {"<LAST_NAME>": [{"a": "<LAST_NAME>"}, 1, None, True, "x<y"]}
    assert fill(value, tokens) == {"<LAST_NAME>": [{"a": "Quill"}, 1, None, True, "x<y"]}


def test_language_without_names() -> None:
    with pytest.raises(ScenarioError, match=r"'de'.*en, ko, fr"):
        token_values(CULTURE, ROMANIZED, "de")


ALIASES = {"Mill": {"base": ["the mill", "mill"], "translations": {"fr": ["le moulin", "mill"]}}}


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "at Mill and Quay"), ("fr", "at le moulin and Quay"), ("de", "at Mill and Quay")],
)
def test_locations(language: str, text: str) -> None:
    assert fill_locations(["at <LOC:Mill> and <LOC:Quay>"], ALIASES, language) == [text]


def test_name_aliases() -> None:
    db = {"b": {"x": {"name": "Mill", "name_aliases": ["old"], "in": [{"name": "Quay"}]}}}
    assert add_name_aliases(db, ALIASES, "fr") == {
        "b": {
            "x": {
                "name": "Mill",
                "name_aliases": ["the mill", "mill", "le moulin"],
                "in": [{"name": "Quay"}],
            }
        }
    }
    assert add_name_aliases(db, ALIASES, "en")["b"]["x"]["name_aliases"] == ["the mill", "mill"]


# ---- published data


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_published_record_loads(published: Path, language: str) -> None:
    scenarios = load_scenarios(published, language=language)
    for domain in DOMAINS:
        records = json.loads((published / f"{domain}_dataset.json").read_text())
        loaded = [s for s in scenarios if s.domain == domain]
        assert [s.id for s in loaded] == [r["id"] for r in records]
        for scenario, record in zip(loaded, records, strict=True):
            assert scenario.language == language
            assert scenario.now == record["current_date_time"]
            trace = record["ground_truth"]["expected_trace"]["trace"]
            assert [c["name"] for c in scenario.reference_calls] == [
                e["tool_name"] for e in trace if e["event_type"] == "tool_call"
            ]
            assert not TOKEN.search(everything(scenario)), scenario
            own = record["culture_overrides"][language]
            assert scenario.caller["name"] == f"{own['first_name']} {own['last_name']}"


def test_aliases_reach_both_databases(published: Path) -> None:
    alias = json.loads((published / "itsm_aliases" / "downtown.json").read_text())
    for language in ("en", "de"):
        seen = 0
        for s in load_scenarios(published, "itsm", language=language):
            for db in (s.initial_db, s.expected_db):
                for building in (db.get("facilities") or {}).get("buildings", {}).values():
                    if building.get("name") == "Downtown":
                        names = alias["base"] + alias["translations"].get(language, [])
                        assert building["name_aliases"] == names
                        seen += 1
        assert seen


def test_ids_select_in_the_order_asked(published: Path) -> None:
    ids = [s.id for s in load_scenarios(published, "airline", ids=["7.4.1", "1.2.1"])]
    assert ids == ["7.4.1", "1.2.1"]
    assert [s.id for s in load_scenarios(published, "airline", ids="2.1.2")] == ["2.1.2"]


# ---- a folder that we break

Folder = Callable[..., Path]


@pytest.fixture
def make_folder(tmp_path: Path) -> Folder:
    """A folder of EVA-Bench form with one airline record; `change` edits the record first."""

    def make(change: Callable[[dict[str, Any]], object] = lambda r: None) -> Path:
        own = json.loads((data_folder("scenarios") / "airline" / "E5.1.json").read_text())
        change(own["record"])
        (tmp_path / "airline_scenarios").mkdir()
        (tmp_path / "airline_scenarios" / "E5.1.json").write_text(json.dumps(own["scenario_db"]))
        (tmp_path / "airline_dataset.json").write_text(json.dumps([own["record"]]))
        return tmp_path

    return make


def problem(kind: type[EvalibError], *args: Any, **kwargs: Any) -> str:
    with pytest.raises(kind) as caught:
        load_scenarios(*args, **kwargs)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_good_folder_loads(make_folder: Folder) -> None:
    folder = make_folder()
    [scenario] = load_scenarios(folder)
    [own] = load_scenarios(ids="E5.1")
    assert everything(scenario) == everything(own)
    assert (scenario.source, own.source) == (str(folder), "builtin")


def test_stray_keys_are_tolerated(make_folder: Folder) -> None:
    def add(record: dict[str, Any]) -> None:
        record["seed_data"] = {}
        record["user_goal"]["decision_tree"]["resolution"] = "..."
        record["ground_truth"]["extra"] = 1
        record["culture_overrides"]["en"]["nickname"] = "T"

    [scenario] = load_scenarios(make_folder(add))
    assert scenario.decision_tree["resolution"] == "..."


def test_unknown_words() -> None:
    assert "airline, itsm, medical_hr" in problem(ConfigError, domain="hotel")
    assert "en, fr, fr-CA, es, de, hi, ko" in problem(ConfigError, language="it")
    message = problem(ScenarioError, ids=["E1.1", "E9.9"])
    assert "'E9.9'" in message
    assert "E1.1, E2.1" in message


def test_no_builtin_scenarios_of_a_domain_yet() -> None:
    assert "'itsm'" in problem(ScenarioError, domain="itsm")


def test_missing_folder_and_missing_dataset(tmp_path: Path) -> None:
    assert "not a folder" in problem(ScenarioError, tmp_path / "nowhere")
    assert "<domain>_dataset.json" in problem(ScenarioError, tmp_path)
    message = problem(ScenarioError, tmp_path, domain="airline")
    assert "airline_dataset.json is missing" in message


def test_source_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    assert "not a folder" in problem(ScenarioError, tmp_path / "x.json")


def test_missing_scenario_file(make_folder: Folder) -> None:
    folder = make_folder()
    (folder / "airline_scenarios" / "E5.1.json").unlink()
    message = problem(ScenarioError, folder)
    assert str(Path("airline_scenarios") / "E5.1.json") in message
    assert "missing" in message


@pytest.mark.parametrize("name", ["airline_dataset.json", "airline_scenarios/E5.1.json"])
def test_broken_json_names_file_and_line(make_folder: Folder, name: str) -> None:
    folder = make_folder()
    (folder / name).write_text('{\n "a": 1,\n "b" 2\n}')
    message = problem(DataFormatError, folder)
    assert f"{folder / name}, line 3, column 6" in message


def test_text_that_is_not_utf8(make_folder: Folder) -> None:
    folder = make_folder()
    (folder / "airline_dataset.json").write_bytes(b'["\xff"]')
    assert "not UTF-8" in problem(DataFormatError, folder)


@pytest.mark.parametrize(
    ("content", "said"),
    [("{}", "list"), ("[1]", "dict"), ('[{"no": "id"}]', "record 1: 'id'"), ('[{"id": 5}]', "not 5")],
)
def test_dataset_of_another_shape(make_folder: Folder, content: str, said: str) -> None:
    folder = make_folder()
    (folder / "airline_dataset.json").write_text(content)
    message = problem(DataFormatError, folder)
    assert "airline_dataset.json" in message
    assert said in message


def test_database_of_another_shape(make_folder: Folder) -> None:
    folder = make_folder()
    (folder / "airline_scenarios" / "E5.1.json").write_text("[]")
    assert "its database" in problem(DataFormatError, folder)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("user_goal",), "user_goal"),
        (("user_goal", "decision_tree"), "user_goal.decision_tree"),
        (("ground_truth", "expected_trace"), "ground_truth.expected_trace"),
        (("culture_overrides", "en", "last_name"), "culture_overrides.en.last_name"),
    ],
)
def test_record_that_lacks_something(make_folder: Folder, path: tuple[str, ...], field: str) -> None:
    def remove(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        del record[path[-1]]

    message = problem(DataFormatError, make_folder(remove))
    assert f"record E5.1: {field}: Field required" in message


def test_wrong_date(make_folder: Folder) -> None:
    message = problem(DataFormatError, make_folder(lambda r: r.update(current_date_time="June 5th")))
    assert "current_date_time" in message


@pytest.mark.parametrize(
    ("part", "said"),
    [("starting_utterances", "no starting utterance in 'ko'"), ("culture_overrides", "no names for")],
)
def test_language_a_record_does_not_have(make_folder: Folder, part: str, said: str) -> None:
    folder = make_folder(lambda r: r[part].pop("ko"))
    assert load_scenarios(folder, language="en")
    message = problem(ScenarioError, folder, language="ko")
    assert said in message
    assert "record E5.1" in message
    assert "en, fr, fr-CA, es, de, hi" in message


def test_two_records_with_one_id(make_folder: Folder) -> None:
    folder = make_folder()
    dataset = folder / "airline_dataset.json"
    dataset.write_text(json.dumps(json.loads(dataset.read_text()) * 2))
    assert "two airline records" in problem(ScenarioError, folder)


def test_bundled_data_that_is_not_there() -> None:
    with pytest.raises(ScenarioError, match="lacks its data folder 'nothing'"):
        data_folder("nothing")
