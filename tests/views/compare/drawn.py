"""Profiles drawn as text, and what compare makes of two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.question.joint import Member
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.joined.join import Given, compared
from tb_plugin.views.compare.result import CompareParams
from tb_plugin.views.compare.sums.result import SumsParams
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.views.compare.result import ChangeRow, Pair
    from tb_plugin.views.compare.sums.result import ProfileSums

STEP_US = 1000


def sums(text: str) -> ProfileSums:
    return SUMS.answer(trace_from_text(text), SumsParams())


def steps(*of: Sequence[tuple[str, str, float]], length_us: Sequence[float] | None = None) -> str:
    """A step for each list of (operator, kernel, microseconds): kernels one after the other on one stream, 10 us apart."""
    lines = []
    for number, work in enumerate(of):
        t0 = number * STEP_US
        end = t0 + (900 if length_us is None else length_us[number])
        host, device, now = [], [], t0 + 20.0
        for operator, kernel, lasting in work:
            host.append(f"{operator} {now - 5}-{now - 4}")
            device.append(f"{kernel} {now}-{now + lasting} <- {operator}")
            now += lasting + 10
        lines += [f"thread 1 | ProfilerStep#{number} {t0}-{end} | {' | '.join(host)}", f"stream 7 | {' | '.join(device)}"]
    return "\n".join(lines)


def pair(a: ProfileSums | Sequence[ProfileSums], b: ProfileSums | Sequence[ProfileSums], **params: object) -> Pair:
    """B against A; several are recordings of one side."""
    given = [Given(name, [], list(of) if isinstance(of, list) else [of]) for name, of in (("a", a), ("b", b))]  # type: ignore[list-item]
    (found,) = compared(given, CompareParams(**{"by": "operator", "fold": 0.0, **params}), []).pairs  # type: ignore[arg-type]
    return found


def member(run: str, span: str, us: float = 100) -> Member[ProfileSums]:
    return Member(
        run=run, worker="w", span=span, label="w", recorded_ns=int(span), n_workers=1,
        n_ranks=1, state="ready", progress=1.0, reason=None,
        answer=sums(steps(*[[("aten::mm", "g", us)]] * 5)),
    )  # fmt: skip


def row(found: Pair, name: str) -> ChangeRow:
    (one,) = [each for each in found.rows if each.name == name and each.kind != "kernel"]
    return one


def check_closes(found: Pair) -> None:
    """Every row is the sum of the rows below it, in every column that is a sum; parts sum to the step."""
    step = found.step
    assert step.delta_ns == step.b_mean_ns - step.a_mean_ns == sum(part.delta_ns for part in found.parts)
    assert step.a_mean_ns == sum(part.a_ns for part in found.parts) == found.rows[0].a_ns
    assert step.b_mean_ns == sum(part.b_ns for part in found.parts) == found.rows[0].b_ns
    for above in found.rows:
        assert above.delta_ns == above.b_ns - above.a_ns
        below = [each for each in found.rows if each.parent == above.id]
        for name in ("a_ns", "b_ns", "delta_ns") if below else ():
            assert sum(getattr(each, name) for each in below) == getattr(above, name), (above.name, name)
        if above.count_ns is not None:
            assert above.duration_ns is not None
            assert above.count_ns + above.duration_ns == above.delta_ns
            split = [each for each in below if each.count_ns is not None]
            if len(split) == len(below) > 0:
                assert sum(each.count_ns for each in split if each.count_ns is not None) == above.count_ns
        sizes = [each.size_ns for each in below if each.size_ns is not None]
        if len(sizes) == len(below) > 0:  # kernels beside shapes have none of their own
            assert sum(sizes) == above.size_ns
