import csv
import io

import pytest

from tb_plugin.answers.bodies import csv_text
from tb_plugin.question.outline import Cell, TextTable


@pytest.mark.parametrize(
    "name",
    ["=cmd|' /C calc'!A0", "@SUM(1+1)", "+1", "-1+1", "\t=1", "\r=1", " =1", "\n=1", "\0=1", "\uff1d1", "=1\n=2", "=1\r=2"],
)
def test_no_name_becomes_a_formula(name: str) -> None:
    _, row = csv.reader(io.StringIO(csv_text(TextTable(columns=["name"], rows=[[name]])), newline=""))
    assert row == [f"'{name}".replace("\r", "\n")]


def test_figures_and_other_names_stay_what_they_are() -> None:
    rows: list[list[Cell]] = [["aten::mm", -5, -0.5, None, ""], ["a = b", 1, 2.0, None, "3-5"]]
    assert csv_text(TextTable(columns=list("abcde"), rows=rows)) == "a,b,c,d,e\naten::mm,-5,-0.5,,\na = b,1,2.0,,3-5\n"
