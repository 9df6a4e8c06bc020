"""No secret reaches run.json, and what is no secret stays. The keys below are made up."""

from __future__ import annotations

import json

import pytest

from evalib.store import RunWriter
from evalib.store.redaction import without_secrets

SECRET = "q9Zs3cr3tV4lue77"


@pytest.mark.parametrize(
    "config",
    [
        {"api_key": SECRET},
        {"apiKey": SECRET},
        {"OPENAI_API_KEY": SECRET},
        {"OPENAI_API_KEY_2": SECRET},
        {"key": SECRET},
        {"accessToken": SECRET},
        {"auth_token": SECRET},
        {"password": SECRET},
        {"db": {"Passwd": SECRET}},
        {"client_secret": {"value": SECRET}},
        {"headers": {"Authorization": f"Token {SECRET}"}},
        {"headers": {"X-Auth": SECRET}},
        {"headers": [["Authorization", SECRET]]},
        {"headers": [{"name": "X-Api-Key", "value": SECRET}]},
        {"argv": ["--api-key", SECRET]},
        {"command": f"agent --token={SECRET} --n=3"},
        {"note": f"send Bearer {SECRET}"},
        {"model": f"sk-proj-{SECRET}"},
        {"x": f"hf_{SECRET}"},
        {"x": f"ghp_{SECRET}"},
        {"x": f"AKIA{SECRET.upper()}"},
        {"x": f"eyJhbGciOi.{SECRET}.{SECRET}"},
        {"url": f"wss://me:{SECRET}@host.example/agent"},
        {"url": f"https://host.example/a?X-Amz-Signature={SECRET}&n=1"},
        {"url": f"https://host.example/a?n=1&sig={SECRET}"},
        {"pem": f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----"},
        {"nested": [{"deeper": [{"token": SECRET}]}]},
    ],
)
def test_a_secret_is_removed(config):
    text = json.dumps(without_secrets(config))
    assert SECRET not in text
    assert SECRET.upper() not in text
    assert "<removed>" in text


@pytest.mark.parametrize(
    "config",
    [
        {"max_tokens": 1024, "tokenizer": "bpe", "monkey": "see"},
        {"judges": {"key_entity_accuracy": "rules", "authentication_success": "code"}},
        {"model": "gpt-4o-mini", "task": "sk-learn", "risk-free-approach-here": "a risk-averse-strategy"},
        {"url": "wss://host.example:8080/agent?voice=a&rate=24000#top"},
        {"api_key": None, "token": "", "n": [1, 2.5, True, None]},
        {"note": "ask for the key, then the password; n = 3"},
    ],
)
def test_what_is_no_secret_stays(config):
    assert without_secrets(config) == config


def test_what_stays_of_a_url_tells_where_it_went():
    config = without_secrets({"url": "https://me:pw@host.example/a?sig=abc&n=2"})
    assert config == {"url": "https://<removed>@host.example/a?sig=<removed>&n=2"}


def test_run_json_holds_no_secret(tmp_path, scenario):
    RunWriter(tmp_path / "run", {"agent": {"url": f"wss://u:{SECRET}@h", "api_key": SECRET}}, [scenario])
    for path in (tmp_path / "run").rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes()


def test_a_run_resumes_with_another_key(tmp_path, scenario):
    RunWriter(tmp_path / "run", {"api_key": "one"}, [scenario])
    RunWriter(tmp_path / "run", {"api_key": "two"}, [scenario])
