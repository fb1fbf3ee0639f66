"""Which profiles of a log directory are the items of a comparison."""

from __future__ import annotations

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.views.compare.members import join, takes
from tb_plugin.views.compare.result import CompareParams
from tests.views.compare.drawn import member


def test_a_line_that_begins_with_a_tab_is_one_more_recording_of_the_item_above() -> None:
    members = [member("a", str(span)) for span in range(6)] + [member("b", "6"), member("b", "7")]
    params = CompareParams(items="a\tw\t0\n\ta\tw\t1\n\ta\tw\t2\na\tw\t4\n\tb\tw")
    assert [takes(params, one.run, one.worker, one.span) for one in members] == [True, True, True, False, True, False, True, True]
    found = join([one for one in members if takes(params, one.run, one.worker, one.span)], params)
    assert found.a is not None
    assert (found.a.label, found.a.n_recordings) == ("a · 3 spans", 3)
    (pair,) = found.pairs
    assert (pair.b.label, pair.b.n_recordings) == ("a … b · 3 profiles", 3)


def test_items_that_name_nothing_or_too_much_are_refused() -> None:
    for items in ("a", "a\tw\t1\t2\tmore", "\n".join(f"a\tw\t{n}" for n in range(51)), "a\tw\n" + "\ta\tw\n" * 500):
        with pytest.raises(UsageError, match="items: "):
            takes(CompareParams(items=items), "a", "w", "1")
