"""Settings out of dumps of a configuration, and that no secret gets out with them."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.parse.configuration import PREFIX, flattened, read, settings
from collector.parse.event.configuration import configured, shareable
from collector.parse.log.rank_log import RankLog
from collector.parse.secret import is_secret, without_named

DUMP = (
    "{'data_parallel': 8, 'pipeline_stage': 2, 'recompute': {'recompute': True, 'layers': [1, 2]}, 'offset': None,"
    " 'dtype': <class 'float'>, 'callbacks': [{'type': 'MFLossMonitor'}, {'type': 'CheckpointMonitor', 'steps': 500}]}"
)


def settled(section: str, text: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(settings(section, text)[PREFIX + section])
    return found


def test_a_nested_dump_becomes_dotted_keys() -> None:
    assert settled("parallel_config", DUMP) == {
        "data_parallel": "8",
        "pipeline_stage": "2",
        "recompute.recompute": "True",
        "recompute.layers": "[1, 2]",
        "offset": "None",
        "dtype": "<class 'float'>",
        "callbacks.0.type": "MFLossMonitor",
        "callbacks.1.type": "CheckpointMonitor",
        "callbacks.1.steps": "500",
    }


def test_the_layout_is_told_too() -> None:
    told = settings("parallel_config", DUMP)
    assert (told["data_parallel"], told["pipeline_stages"]) == ("8", "2")


def test_json_is_read_as_well_and_a_single_value_is_its_own_section() -> None:
    assert settled("args", '{"lr": 2e-05, "name": "a \\"b\\"", "none": null}') == {
        "lr": "2e-05",
        "name": 'a "b"',
        "none": "null",
    }
    assert settled("seed", "42") == {"": "42"}
    assert settings("sample", "once upon a time") == {}


def test_a_dump_that_is_cut_keeps_what_came_before() -> None:
    cut = DUMP[: DUMP.index("ue, 'layers")]
    assert settled("model", cut) == {"data_parallel": "8", "pipeline_stage": "2", "recompute.recompute": "Tr"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("hub_token", "abcdefgh"),
        ("remote.auth", "abc"),
        ("obs.sk", "abc"),
        ("api_key", "k-1"),
        ("dec_key", "0123abc"),
        ("db.password", "123456"),
        ("secret.inner.value", "x"),
        ("hubToken", "abcdefgh"),
        ("feishu_webhook", "https://x/y"),
    ],
)
def test_a_secret_is_masked_by_its_name(path: str, text: str) -> None:
    assert is_secret(path, text)
    assert not is_secret(path, "None")


@pytest.mark.parametrize(
    ("path", "text"),
    [("max_tokens", "2048"), ("pad_token", "<pad>"), ("num_key_value_heads", "8"), ("tokenizer.type", "Llama")],
)
def test_a_setting_that_only_sounds_like_one_is_kept(path: str, text: str) -> None:
    assert not is_secret(path, text)


SECRETS = "{'url': 'redis://u:s3cret@host/0', 'hook': 'https://a/b?access_token=s3cret&x=1', 'token': 's3cret', 'n': 1}"


def test_no_secret_is_left_in_any_fact_of_a_text_summary() -> None:
    told = {"text": shareable("remote/text_summary", SECRETS), **configured("remote/text_summary", SECRETS)}
    assert "s3cret" not in json.dumps(told)
    assert "host/0" in told["text"]
    assert shareable("api_key/text_summary", "s3cret") == "***"
    assert "s3cret" not in without_named("password: s3cret, mode: fast")


def test_a_log_tells_sections_of_the_configuration() -> None:
    line = b"2024-07-05 17:19:10,151 - mindformers[x.py:51] - INFO - initial parallel_config from dict: "
    facts = RankLog().parse(line + DUMP.encode() + b"\n", {}).facts
    assert facts["pipeline_stages"] == "2"
    assert json.loads(facts[PREFIX + "parallel_config"])["recompute.layers"] == "[1, 2]"


LEAVES = st.text(max_size=8) | st.integers() | st.none()


@given(st.recursive(LEAVES, lambda part: st.lists(part) | st.dictionaries(st.text(), part), max_leaves=12))
def test_whatever_is_dumped_every_leaf_is_told(tree: object) -> None:
    found = read(repr({"a": tree, "z": "end"}))
    assert isinstance(found, dict)
    assert found["z"] == "end"
    assert dict(flattened(found))["z"] == "end"


@given(st.text(alphabet="{}[]()'\",:\\ab= \n", max_size=300))
def test_no_text_breaks_the_reading(text: str) -> None:
    for told in settings("model", "{" + text).values():
        assert told
    without_named(text)


@pytest.mark.parametrize("piece", ["\\'", "{", "{a:", "a:'", "a: b,", "://", "?x=", "eyJ"])
def test_a_dump_of_nothing_but_oddities_is_read_in_no_time(piece: str) -> None:
    began = time.perf_counter()
    text = "{" + piece * (64_000 // len(piece))
    settings("model", text)
    without_named(text)
    assert time.perf_counter() - began < 5
