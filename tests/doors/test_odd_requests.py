"""Whatever is asked for, an answer or an error of who asks: seeded requests over every route and parameter of the document."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from tests.profiles import sample
from tests.runs.small import put, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from werkzeug.test import Client

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
N_REQUESTS: Final = 400
ODD: Final = (
    *("", "0", "-1", "1", "9" * 25, "1e9", "nan", "inf", "null", "true", "0.5", "-0", "1_000", "+1", " 1 ", "\u0663", "99999999"),
    *("1-2", "2-1", "1,2,,3", ",", "-", "1-", "-5-3", "0-999999999999999999", "1;2"),
    *("a", "(", "(a+)+$", "[", "\\", "\x00", "\udc80", "\U0001f600", "x" * 4000, "%", "%s", "{}", "../../etc/passwd", "\n", "=1"),
    *("name", "category", "kernel", "host", "step", "Net_0", "aten::mm", "op:aten::mm=0.5", "launch -10%", "a=b"),
)


def requests(lot: random.Random, n: int) -> Iterator[str]:
    document = json.loads(DOCUMENT.read_text())
    shared = document["components"]["parameters"]
    routes = sorted((path, route) for path, route in document["paths"].items() if "get" in route)
    for _ in range(n):
        path, route = lot.choice(routes)
        listed = (
            shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in route["get"].get("parameters", ())
        )
        words = [
            (each["name"], value(each.get("schema", {}), lot))
            for each in listed
            if each["name"] not in ("run", "worker", "span") and (each.get("required") or lot.random() < 0.35)
        ]
        if lot.random() < 0.2:
            words.append((lot.choice(("run", "worker", "span", "steps", "nothing")), lot.choice(ODD)))
        yield f"{path}?{urlencode(words, errors='surrogatepass')}"


def value(schema: dict[str, Any], lot: random.Random) -> str:
    choices = schema.get("enum")
    return str(lot.choice(choices if choices and lot.random() < 0.6 else ODD))


def test_no_request_fails_the_server(client: Client, logdir: Path) -> None:
    put(logdir / "run" / "w.1.pt.trace.json.gz", sample("cuda").read_bytes())
    until(lambda: client.get("/api/v1/view/overview"), lambda reply: reply.status_code == 200)
    seen = Counter[int]()
    for address in requests(random.Random(1), N_REQUESTS):
        status = client.get(address).status_code
        assert status in (200, 202, 400, 404), address
        seen[status] += 1
    assert min(seen[200], seen[400], seen[404]) > 10, "or this asks for nothing"
