"""Typed reading of environment variables, for the settings only. What makes no sense is refused by name.

Every variable may also be given as a file: `NAME_FILE` names a file whose content is the value, as Docker
and Kubernetes hand over secrets.
"""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from django.core.exceptions import ImproperlyConfigured
from environ import Env, FileAwareMapping

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")

_variables = FileAwareMapping(cache=False)


def text(name: str, default: str = "") -> str:
    try:
        value = str(_variables[name]).strip()
    except KeyError:
        return default
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE: {error.filename}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ImproperlyConfigured(f"{name}_FILE: the file is not UTF-8 text.") from None
    return value or default


def content(path: Path) -> str:
    """Of a file that need not be there."""
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{path}: {error}.") from None


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name}: {value!r} is none of {', '.join(allowed)}.")
    return value


def boolean(name: str, *, default: bool) -> bool:
    value = text(name).lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    if value:
        raise ImproperlyConfigured(f"{name}: {value!r} is neither true nor false; write 1 or 0.")
    return default


def whole(name: str, default: int, *, least: int, most: int) -> int:
    value = text(name, str(default))
    if not (value.isascii() and value.isdecimal()) or not least <= int(value) <= most:
        raise ImproperlyConfigured(f"{name}: {value!r} is not a whole number from {least} to {most}.")
    return int(value)


def listing(name: str, default: tuple[str, ...] = (), *, separator: str = ",") -> list[str]:
    """The parts between separators, without those that are empty."""
    value = text(name)
    return [part.strip() for part in value.split(separator) if part.strip()] if value else list(default)


def folder(name: str, default: Path) -> Path:
    return Path(text(name, str(default))).expanduser().absolute()


def database(name: str, default: str) -> dict[str, Any]:
    """Django's entry for `sqlite:////path` or `postgresql://user:password@host:port/name?option=value`."""
    url = text(name, default)
    scheme = url.partition("://")[0]
    if scheme not in ("sqlite", "postgresql", "postgres"):
        raise ImproperlyConfigured(
            f"{name}: {scheme!r} is no database that Sliceboard knows; "
            "write postgresql://user:password@host:port/name or sqlite:////absolute/path."
        )
    try:
        entry = dict(Env.db_url_config(url))
    except ValueError:
        # Without the value: it holds a password.
        raise ImproperlyConfigured(
            f"{name}: not a URL; percent-encode what is special in the password."
        ) from None
    # A socket's folder is percent-encoded in the place of the host, as in libpq's URLs.
    return {**entry, "HOST": unquote(entry["HOST"] or "")}


def cache(broker: str) -> dict[str, Any]:
    """Django's entry for the Redis that is the broker; the memory of the process where it is none."""
    scheme, _, rest = broker.partition("://")
    if scheme not in ("redis", "rediss", "redis+socket"):
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": f"unix://{rest}" if scheme == "redis+socket" else broker,
        "KEY_PREFIX": "sliceboard",
        # Nobody waits long for a counter.
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }
