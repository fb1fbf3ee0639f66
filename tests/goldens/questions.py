"""What the goldens ask of every sample: each view with its groupings and filters, what is behind a row, the timeline.

The one place that knows how a question reaches the product: `ask` and `text`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tb_plugin.answers import bodies, questions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace


class Asked(NamedTuple):
    """`golden` is the file that holds the answer, `title` its name there."""

    golden: str
    title: str
    answer: Any


def ask(trace: Trace, route: str, params: dict[str, Any]) -> Any:
    """The reply as a page reads it; raw columns as lists, CSV as lines."""
    form: bodies.Form = "csv" if route.endswith(".csv") else "sent"
    question = questions.of_one(route.removesuffix(".csv"))
    reply = bodies.body(question, trace, question.params_from(params), form)
    media = bodies.media(question, form)
    if media == bodies.CSV:
        return reply.decode().splitlines()
    return json.loads(reply) if media == bodies.JSON else _columns(reply)


def text(trace: Trace, view_id: str) -> list[str]:
    """What the shell prints."""
    question = questions.of_one(view_id)
    shown: str = question.missing(trace) or question.text(question.answer(trace, question.params_from({})))
    return shown.splitlines()


def answers(trace: Trace) -> Iterator[Asked]:
    """Everything that is asked of one sample."""
    choices = ask(trace, "choices", {})
    step = {"steps": str(choices["steps"][0]["number"])} if choices["steps"] else {}
    device = {"devices": str(choices["devices"][0]["index"])} if choices["devices"] else {}

    def view(name: str, *all_params: dict[str, Any], route: str = "") -> Iterator[Asked]:
        for params in all_params:
            title = " ".join([route or "view", *(f"{key}={value}" for key, value in params.items())])
            yield Asked(name, title, ask(trace, f"view/{name}{'/' if route else ''}{route}", params))

    yield Asked("overview", "choices", choices)
    yield from view("overview", {}, step | {"top": "3"}, {"inside": "backward", "top": "3"}, device | {"top": "3"})
    yield from view("operators", *by("name", "shapes", "call_site", "module", "category"), step, {"inside": "linear|conv"})
    for group in by("name", "shapes", "call_site", "module"):
        yield from view("operators", *_top_operator(trace, group), route="details")
    kernels = by("name", "launch", "operator", "module", "stream", "category")
    yield from view("kernels", *kernels, {"kind": "all"}, {"kind": "copy"}, step)
    for group in by("name", "module"):
        yield from view("kernels", *_top_kernel(trace, group | {"kind": "all"}), route="details")
    yield from view("modules", *by("instance", "class", "class_path"), step)
    yield from view("memory", {}, *by("operator", "module", "call_site", "stack", "category"), step | {"points": "50"})
    largest = {"sort": "bytes", "descending": "true", "limit": "20"}
    yield from view("memory", {"limit": "40"}, largest, {"only": "held", "limit": "20"}, route="allocations")
    yield from view("memory", {"limit": "10"}, route="allocations.csv")
    yield from view("roofline", {}, {"peak": "bf16=500,fp16=500,bandwidth=1000"}, step)
    yield from view("advice", {})
    yield Asked("trends", "span", ask(trace, "view/trends/span", {}))
    yield from view("whatif", {}, {"edit": "host=0.5\ncategory:elementwise=0.5", "effects": "0"})
    slices = "select name, category, count(*) as n, sum(dur) as dur from slice group by 1, 2 order by dur desc, 1 limit 20"
    yield from view("sql", {"statement": slices}, {"statement": "select * from kernels order by id limit 5"})
    for name in ("overview", "operators", "kernels", "roofline", "modules", "memory", "advice", "whatif"):
        yield Asked(name, "text", text(trace, name))
    yield from _timeline(trace)


def by(*groups: str) -> list[dict[str, Any]]:
    return [{"group_by": group} for group in groups]


def _top_operator(trace: Trace, params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    rows = ask(trace, "view/operators", params)["result"]
    for row in rows["rows"][:1] if rows else ():
        named = {key: row[key] for key in ("name", "kind", "input_shapes") if row[key] is not None}
        yield params | named


def _top_kernel(trace: Trace, params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    rows = ask(trace, "view/kernels", params)["result"]
    for row in rows["rows"][:1] if rows else ():
        yield params | {"row": row["example"]}


def _timeline(trace: Trace) -> Iterator[Asked]:
    tracks = ask(trace, "view/timeline", {})["result"]
    yield Asked("timeline", "tracks", tracks)
    start, end = tracks["start_ns"], tracks["end_ns"]
    part = (end - start) // 10
    everything, middle = {"t0_ns": start, "t1_ns": end}, {"t0_ns": start + 4 * part, "t1_ns": start + 5 * part}
    for title, params in (("everything", everything | {"width_px": 60}), ("middle", middle | {"width_px": 200})):
        yield Asked("timeline", f"window {title}", ask(trace, "view/timeline/window", params))
    area = ask(trace, "view/timeline/area", everything | {"top": 30})
    yield Asked("timeline", "area everything", area)
    yield Asked("timeline", "area middle", ask(trace, "view/timeline/area", middle | {"top": 10}))
    for row in [name["longest"]["row"] for name in area["rows"][:3]]:
        yield Asked("timeline", f"event {row}", ask(trace, "view/timeline/event", {"row": row}))
    for q, regex in (("mm", "false"), ("^aten::.*(linear|conv)", "true")):
        yield Asked("timeline", f"search {q}", ask(trace, "view/timeline/search", {"q": q, "regex": regex, "limit": "20"}))


def _columns(body: bytes) -> dict[str, Any]:
    """The header, and each column as the numbers it means."""
    size = int.from_bytes(body[:4], "little")
    header = json.loads(body[4 : 4 + size])
    for name, place in header["columns"].items():
        column = np.frombuffer(body, np.dtype(place["dtype"]), place["length"], 4 + size + place["offset"])
        header["columns"][name] = (np.cumsum(column, dtype=np.int32) if place.get("delta") else column).tolist()
    return dict(header)
