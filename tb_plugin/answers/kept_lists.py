"""The members of the last few joint questions, as lists: who asks again while nothing has changed gets the same one.

So a click on a job of thousands of ranks looks at none of them, and whoever has worked something out of a list knows by the list.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import msgspec

    from tb_plugin.question.joint import Joint, Member
    from tb_plugin.runs.catalogue import Catalogue

_MOST: Final = 4
"""The run that is looked at, another recording of it, and one that it is compared with."""


class State(NamedTuple):
    """What members depend on besides who asks: what was found, and how many profiles have been opened since."""

    catalogue: Catalogue
    n_opened: int

    def is_now(self, now: State) -> bool:
        """Whether nothing has changed."""
        return self.catalogue is now.catalogue and self.n_opened == now.n_opened


class KeptLists:
    """Safe to use from any thread. A list that is kept must not be changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: State | None = None  # of all that are kept
        self._lists: dict[object, list[Member[Any]]] = {}  # used last last

    def get(
        self,
        joint: Joint[Any, Any, Any],
        params: msgspec.Struct,
        state: State | None,
        build: Callable[[], tuple[list[Member[Any]], bool]],
    ) -> list[Member[Any]]:
        """What `build` gives; it says whether that is to be kept. `state` None: it is not."""
        key = (joint.of_each.id, joint.over(params), joint.takes, joint.most, joint.chosen_by(params), repr(joint.asked(params)))
        with self._lock:
            if self._state is None or state is None or not self._state.is_now(state):
                self._lists.clear()
                self._state = state
            found = self._lists.pop(key, None)
            if found is not None:
                self._lists[key] = found
                return found
        found, is_settled = build()
        if state is not None and is_settled:
            with self._lock:
                if self._state is not None and self._state.is_now(state):
                    self._lists[key] = found
                    if len(self._lists) > _MOST:
                        del self._lists[next(iter(self._lists))]
        return found
