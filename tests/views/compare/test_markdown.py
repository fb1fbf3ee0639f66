from __future__ import annotations

import re
from html import escape

from tb_plugin.views.compare.html import html
from tb_plugin.views.compare.joined.join import Given, compared
from tb_plugin.views.compare.markdown import MOST_BYTES, code, markdown
from tb_plugin.views.compare.result import CompareParams
from tb_plugin.views.compare.text import table, text
from tests.views.compare.drawn import steps, sums
from tests.views.compare.trained import TRAINED, slower

A, B = sums(steps(*[TRAINED] * 6)), sums(steps(*[slower(TRAINED, 3)] * 6))


def test_it_says_the_sentence_the_parts_and_folds_the_rest() -> None:
    said = markdown(compared([Given("main", [], [A]), Given("my branch", [], [B])], CompareParams(by="operator"), []))
    assert said.startswith("### `main` → `my branch`\n\nB's step takes")
    assert "| kernel | 160 us | 260 us | +100 us 🔺 |" in said
    assert "<details><summary>By operator</summary>\n\n|" in said
    assert said.count("<details>") == said.count("</details>") == 1


def test_no_text_of_a_profile_is_markup() -> None:
    bad = "a|b`c\n<script>alert(1)</script> [x](http://x) **y**"
    shown = code(bad)
    assert shown.startswith("`")
    assert shown.endswith("`")
    assert not set("<>\n") & set(shown)
    assert "`" not in shown[1:-1]
    assert re.search(r"(?<!\\)\|", shown) is None
    assert code("x" * 117 + "|||")[-3:] != "\\`"
    said = markdown(compared([Given(bad, [], [A]), Given(bad, [], [B])], CompareParams(), []))
    assert "<script" not in said
    assert not re.search(r"^\|(?:[^`\n]*`[^`\n]*`)*[^`\n]*`[^`\n]*$", said, re.M)  # no cell leaves code open


def test_fifty_items_fit() -> None:
    given = [Given("main", [], [A]), *(Given(f"variant {i} " + "x" * 100, [], [B]) for i in range(49))]
    result = compared(given, CompareParams(by="operator"), [])
    assert len(markdown(result).encode()) <= MOST_BYTES
    lines = text(result).splitlines()
    assert sum(line.startswith("step ") for line in lines) == 1 + 49
    rows = table(result)
    assert {len(row) for row in rows.rows} == {len(rows.columns)}


def test_one_html_file_asks_nobody_and_runs_nothing() -> None:
    bad = '<img src=http://x onerror=alert(1)> & "more"'
    given = [Given(bad, [], [A]), *(Given(f"{bad} {i}", [], [B]) for i in range(49))]
    page = html(compared(given, CompareParams(by="operator"), []))
    assert len(page.encode()) <= 400_000
    assert "<img" not in page
    assert "<script" not in page
    assert not re.search(r"(?:src|href|url)\s*[=(]\s*['\"]?http", page.replace(escape(bad), ""))
    assert page.count("<details") == page.count("</details>")
    assert "linear" in html(compared(given[:2], CompareParams(by="operator"), []))
