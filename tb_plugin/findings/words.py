"""Words for counts and gains."""

from __future__ import annotations

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns


def gain_in_words(expected_ns: float | None, own_ns: float, all_ns: float, of: str = "") -> str:
    """`about 58.9 ms a step, 33.2 %, at most 59.3 ms`; `about 60 ms a step, 33.8 %, 59.3 ms of it itself`; `up to 59.3 ms a step,
    33.4 %`: of `all_ns` is what is named first.

    `own_ns`: the time of what was seen. Without it its launches and the gaps around it go too, so that more may be gained.
    """
    own, share = format_ns(own_ns), percent((own_ns if expected_ns is None else expected_ns) / all_ns) if all_ns else percent(0)
    if expected_ns is None:
        return f"up to {own}{of}, {share}"
    about = f"about {format_ns(expected_ns)}{of}, {share}"
    return f"{about}, at most {own}" if expected_ns <= own_ns else f"{about}, {own} of it itself"


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 call`, `2 calls`, `3 batches`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
