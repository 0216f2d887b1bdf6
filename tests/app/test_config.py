"""Settings of the web process."""

from __future__ import annotations

import pytest

from app.config import SETTINGS, AppConfig, BadSetting


def test_nothing_set_gives_the_defaults_of_the_table() -> None:
    assert AppConfig.from_environ({}) == AppConfig.from_environ({one.name: one.default for one in SETTINGS})
    assert AppConfig.from_environ({}) == AppConfig()


def test_every_setting_reaches_the_configuration() -> None:
    config = AppConfig.from_environ(
        {
            "REDIS_URL": "redis://db:6380/1",
            "TIDEWATCH_HOST": "0.0.0.0",
            "TIDEWATCH_ALLOWED_HOSTS": "Dash.Example.com, other",
            "TIDEWATCH_PREFIX": "/mon",
            "TIDEWATCH_MAX_STREAMS": "7",
            "TIDEWATCH_CACHE_MB": "1",
            "TIDEWATCH_URL": "https://watch.example/mon",
        }
    )
    assert config == AppConfig(
        "redis://db:6380/1", "0.0.0.0", ("dash.example.com", "other"), "/mon/", 7, 2**20, "https://watch.example/mon/"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TIDEWATCH_PREFIX", "mon"),
        ("TIDEWATCH_PREFIX", "//evil"),
        ("TIDEWATCH_PREFIX", "/a b"),
        ("TIDEWATCH_MAX_STREAMS", "0"),
        ("TIDEWATCH_MAX_STREAMS", "many"),
        ("TIDEWATCH_CACHE_MB", "-1"),
        ("TIDEWATCH_URL", "watch.example"),
        ("TIDEWATCH_URL", "https://[watch"),
    ],
)
def test_a_bad_value_is_named_with_its_variable(name: str, text: str) -> None:
    with pytest.raises(BadSetting, match=name) as error:
        AppConfig.from_environ({name: text})
    assert repr(text) in str(error.value)


def test_each_setting_says_what_it_is_for() -> None:
    for one in SETTINGS:
        assert one.name == "REDIS_URL" or one.name.startswith("TIDEWATCH_")
        assert one.help.endswith(".")
