"""Settings out of dumps of a configuration, and that no secret gets out with them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.parse.configuration import PREFIX, flattened, read, settings
from collector.parse.event.configuration import configured, shareable
from collector.parse.log.rank_log import RankLog
from collector.parse.secret import is_secret, without_named, without_secrets

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


def test_pynative_and_the_number_of_devices_are_told_by_the_same_names() -> None:
    dump = (
        "{'data_parallel': 2, 'tensor_parallel': 4, 'pipeline_parallel': 2, 'context_parallel': 1,"
        " 'expert_parallel': 8}"
    )
    told = settings("parallelism", dump)
    assert {name: told[name] for name in told if not name.startswith(PREFIX)} == {
        "data_parallel": "2",
        "model_parallel": "4",
        "pipeline_stages": "2",
        "context_parallel": "1",
        "expert_parallel": "8",
    }
    assert settings("parallel", "{'device_num': 16, 'full_batch': True}")["world_size"] == "16"
    assert settings("device_num", "16")["world_size"] == "16"
    assert "world_size" not in settings("seed", "16")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        (" 'device_num': 16,", "world_size", "16"),
        (" 'parallel': {'device_num': 16,", "world_size", "16"),
        (
            "_check_global_batch_size_for_auto_parallel: global_batch_size = batch_size_per_card * device_num * "
            "gradient_accumulation_steps = 64 = 4 * 8 * 2",
            "world_size",
            "8",
        ),
        ("_expert_parallel:8", "expert_parallel", "8"),
        ("_context_parallel:2", "context_parallel", "2"),
    ],
)
def test_a_log_tells_the_layout_where_it_prints_it(text: str, name: str, value: str) -> None:
    assert RankLog().parse(f"{text}\n".encode(), {}).facts[name] == value


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


JWT = "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (JWT, "***"),
        (f"token-{JWT}, x", "token-***, x"),
        (f"a.b-eyJ-{JWT}", "a.b-***"),
        (f"eyJ {JWT} eyJ.eyJ", "eyJ *** eyJ.eyJ"),
        ("eyJhbGciOiJI.short.c2lnbmF0dXJl", "eyJhbGciOiJI.short.c2lnbmF0dXJl"),
        ("keyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "keyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl"),
    ],
)
def test_a_signed_token_is_masked_wherever_it_stands(text: str, masked: str) -> None:
    assert without_secrets(text) == masked


ODDITIES = [
    "\\'",
    "{",
    "{a:",
    "a:'",
    "a: b,",
    "://",
    "://?x=",
    "eyJ",
    "eyJ-",
    "-eyJaaaaaaaa",
    "eyJ-aaaaaaa.",
    "'",
    "a='b",
]


def spent(read: Callable[[str], object], text: str) -> float:
    """Processor seconds, at best of several."""
    found = []
    for _ in range(5):
        began = time.process_time()
        read(text)
        found.append(time.process_time() - began)
    return min(found)


@pytest.mark.parametrize("read", [partial(settings, "model"), without_named], ids=["settings", "secrets"])
@pytest.mark.parametrize("piece", ODDITIES)
def test_of_twice_as_many_oddities_the_reading_takes_twice_as_long(read: Callable[[str], object], piece: str) -> None:
    """Four times as long for four times as many, at most 2.5 times for each doubling; the square would be 16 times. A
    busy machine may spoil a measurement, but not all of them."""
    short, long = ("{" + piece * (size // len(piece)) for size in (16_000, 64_000))
    assert any(spent(read, long) < 2.5**2 * spent(read, short) + 0.002 for _ in range(4))


def test_a_line_that_repeats_the_name_of_a_section_is_read_once() -> None:
    dump = "{'" + "_config: {'" * 5_000
    line = ("a_config: " + dump + "\n").encode()
    assert spent(lambda _: RankLog().parse(line, {}), "") < 10 * spent(partial(settings, "a_config"), dump) + 0.05


def test_two_sections_of_one_line_are_both_told() -> None:
    facts = RankLog().parse(b"a_config: {'x': 1}, b_config: {'y': 2}, c_config: {'z': {'d_config: {': 3}}\n", {}).facts
    assert {name: json.loads(text) for name, text in facts.items()} == {
        PREFIX + "a_config": {"x": "1"},
        PREFIX + "b_config": {"y": "2"},
        PREFIX + "c_config": {"z.d_config: {": "3"},
    }
