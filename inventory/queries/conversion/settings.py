"""Which webhook to convert as: its version, and its configuration where somebody gives one."""

from collections.abc import Mapping, Sequence
from typing import Any

from inventory.hami.previews import Settings
from inventory.hami.webhook.configuration import VENDORS, configured
from inventory.hami.webhook.device_config import ConfigurationError
from inventory.hami.webhook.profiles import Profile
from inventory.kube.documents import DocumentError, documents

DEFAULT_PROFILE = Profile.V0_2_3
LONGEST_CONFIG = 64 * 1024


class SettingsError(ValueError):
    """`field` is profile, vendors or config; the message says what is wrong with it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def settings(profile: str = "", vendors: Sequence[str] = (), config: str = "") -> Settings:
    """`config` is the webhook's device configuration as YAML. Without vendors anywhere: all that it knows.

    Raises SettingsError.
    """
    read = _config(config)
    if not vendors and not (isinstance(read, Mapping) and read.get("vendors") is not None):
        vendors = VENDORS
    try:
        return Settings(_profile(profile), configured(vendors, read))
    except ConfigurationError as error:
        raise SettingsError("config" if config else "vendors", str(error)) from error


def _profile(text: str) -> Profile:
    try:
        return Profile(text) if text else DEFAULT_PROFILE
    except ValueError as error:
        known = ", ".join(Profile)
        raise SettingsError("profile", f"there is no profile {text}; expected one of {known}") from error


def _config(text: str) -> Any:
    if len(text) > LONGEST_CONFIG:
        raise SettingsError("config", f"longer than {LONGEST_CONFIG // 1024} KiB")
    try:
        found = documents(text)
    except DocumentError as error:
        raise SettingsError("config", str(error)) from error
    return found[0] if found else None
