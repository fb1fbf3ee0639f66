"""A view: one face of the page, and what can be asked behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tb_plugin.question.joint import Joint
from tb_plugin.question.question import Question

M = TypeVar("M", bound=Question[Any, Any] | Joint[Any, Any, Any])


@dataclass(frozen=True, kw_only=True)
class View(Generic[M]):
    """A folder under `views/` with the same name in Python, TypeScript and tests; doors find it in `views.ALL`.

    `question` is what it answers, in words. `main` is asked when it is opened, of one profile, or a `Joint` of several; `more`
    are asked from inside it, each by an id of its own: `operators/details` in the shell, `view/operators/details` over HTTP.
    """

    id: str
    title: str
    question: str
    main: M
    more: tuple[Question[Any, Any] | Joint[Any, Any, Any], ...] = ()
