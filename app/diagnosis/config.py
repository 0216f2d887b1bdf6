"""What the diagnosis worker can be told: the table that README is tested against, and one value of it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.config import AppConfig, Setting, home
from app.diagnosis.notify.settings import Settings, load

SETTINGS = (
    Setting("REDIS_URL", "redis://127.0.0.1:6379/0", "Redis with the runs, in which alerts are kept too."),
    Setting(
        "TIDEWATCH_ALERTS",
        "",
        "YAML file that says who is told of alerts, mutes and weighs classes, and adds rules; same as --alerts.",
    ),
    Setting("TIDEWATCH_URL", "", "Address of the pages as people reach them, for links in messages."),
)


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """``home`` is the address of the pages, "" where nobody said it."""

    redis_url: str
    home: str = ""
    alerts: Settings = field(default_factory=Settings)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], alerts: Path | None = None) -> WorkerConfig:
        """``alerts`` goes before the environment. Raises BadSetting, BadAlerts."""
        return cls(
            AppConfig.from_environ(environ).redis_url,
            home(environ.get("TIDEWATCH_URL", "")),
            alerts_of(alerts, environ),
        )


def alerts_of(named: Path | None, environ: Mapping[str, str]) -> Settings:
    """The file of alerts that was named, else the environment's, else nothing. Raises BadAlerts."""
    found = named or (Path(environ["TIDEWATCH_ALERTS"]) if environ.get("TIDEWATCH_ALERTS") else None)
    return Settings() if found is None else load(found, environ)
