"""What an operator can set: read once, from one file and the environment, every mistake told at once."""

from gateway.settings.model import (
    CacheSettings,
    ClusterSettings,
    ControllerSettings,
    LimitSettings,
    PostgresSettings,
    Settings,
    SlurmSettings,
)
from gateway.settings.problems import InvalidSettings
from gateway.settings.reading import read_settings

__all__ = [
    "CacheSettings",
    "ClusterSettings",
    "ControllerSettings",
    "InvalidSettings",
    "LimitSettings",
    "PostgresSettings",
    "Settings",
    "SlurmSettings",
    "read_settings",
]
