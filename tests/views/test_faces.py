"""The page offers a view the filters that the view takes: `face.ts` says the same as the Params."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

from tb_plugin import views

if TYPE_CHECKING:
    from tb_plugin.question.view import View

PAGE: Final = Path(__file__).parents[2] / "frontend" / "src"
LEFT_OUT: Final = {
    "memory": {"devices", "streams", "dimension"},  # a picker of its own for the device; the others hold no memory
    "ranks": {"steps", "dimension"},  # which rows its tables have; not which events are counted
    "compare": {"steps"},  # the page compares profiles whole; `tb-plugin compare --steps` does not
}


def filters_of_the_page() -> list[str]:
    text = (PAGE / "state" / "filters.ts").read_text(encoding="utf-8")
    return re.findall(r"'(\w+)'", text.partition("export const FILTERS = [")[2].partition("]")[0])


@pytest.mark.parametrize("view", views.ALL, ids=lambda view: view.id)
def test_a_view_is_offered_the_filters_that_it_takes(view: View[Any]) -> None:
    text = (PAGE / "views" / view.id / "face.ts").read_text(encoding="utf-8")
    (said,) = re.findall(r"filters: (FILTERS|\[.*\])", text)
    every = filters_of_the_page()
    offered = every if said == "FILTERS" else re.findall(r"'(\w+)'", said)
    taken = {field.name for question in (view.main, *view.more) for field in msgspec.structs.fields(question.params)}
    assert len(every) == 7
    assert set(offered) == taken & set(every) - LEFT_OUT.get(view.id, set())
