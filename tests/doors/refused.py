"""What a refused request is answered with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from werkzeug.test import TestResponse


def error(reply: TestResponse, status: int, kind: str) -> str:
    assert reply.status_code == status
    body = json.loads(reply.text)
    assert body.keys() == {"error"}
    assert body["error"]["kind"] == kind
    message = body["error"]["message"]
    assert message
    assert "\n" not in message
    return str(message)
