"""Texts behind the page's "?" are the server's: each key that the page holds has one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tb_plugin import views
from tb_plugin.doors import definitions
from tests.doors.refused import error

if TYPE_CHECKING:
    from werkzeug.test import Client

KEY = re.compile(r'^export const (\w+) = "\?(\w+)\.(\w+)"$', re.M)


@pytest.mark.parametrize("view", [view.id for view in views.ALL])
def test_the_text_of_each_field_is_told(client: Client, view: str) -> None:
    reply = client.get(f"/api/v1/definitions?view={view}")
    assert reply.content_type == "application/json"
    told = json.loads(reply.data)
    keys = {name: (of, key) for name, of, key in KEY.findall(definitions.module(view))}
    fields = definitions.of_view(view)
    assert len(keys) == len(fields) > 0
    for field, text in fields.items():
        of, key = keys[definitions.name_of(field)]
        assert (of, told[key]) == (view, definitions.in_words(text))
    assert len(told) == len(set(told.values())), "each text once"


def test_what_a_browser_has_is_not_sent_again(client: Client) -> None:
    reply = client.get("/api/v1/definitions?view=ranks", headers={"Accept-Encoding": "gzip"})
    assert (reply.headers["Content-Encoding"], reply.headers["Cache-Control"]) == ("gzip", "private, no-cache")
    assert client.get("/api/v1/definitions?view=ranks", headers={"If-None-Match": reply.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("view", ["", "nowhere", "../trace", "ranks/../ranks"])
def test_there_are_none_of_what_is_no_view(client: Client, view: str) -> None:
    error(client.get("/api/v1/definitions", query_string={"view": view}), 404, "NotFoundError")


def test_it_is_asked_of_one_view(client: Client) -> None:
    for words in ("", "?view=ranks&view=memory", "?view=ranks&run=a"):
        error(client.get(f"/api/v1/definitions{words}"), 400, "UsageError")
