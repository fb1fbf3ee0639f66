"""Who a request may be for, under `tb-plugin serve`: a page that points a name of its own at this machine reads nothing.

listens on        answers to
127.0.0.1, ::1    localhost, addresses of this machine alone, --allow-host
another address   these; any address in numbers (no name can be pointed at it); the names of this machine and of --host
"""

from __future__ import annotations

import ipaddress
import re
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOST: Final = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^:\[\]/@]+))(?::[0-9]{1,5})?")


class Hosts:
    """The names that are answered to."""

    def __init__(self, listens_on: str, allowed: Iterable[str] = ()) -> None:
        self._is_local = _is_loopback(listens_on)
        self._names = {name.lower() for name in allowed}
        if not self._is_local:
            self._names |= {listens_on.lower(), socket.gethostname().lower()}

    def allow(self, header: str) -> bool:
        """`header` is the request's Host, with or without a port."""
        match = _HOST.fullmatch(header.strip())
        if match is None:
            return False
        name = (match["v6"] or match["name"]).lower().rstrip(".")
        return name in self._names or _is_loopback(name) or (not self._is_local and _is_address(name))


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(name).is_loopback
    return False


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return False
