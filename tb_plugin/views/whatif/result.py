"""What the what-if view is asked and answers; the wire format of `view/whatif`. All times of all steps are means over them."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from tb_plugin.question.question import Lines, UpTo200
from tb_plugin.replay.edits import FORMS
from tb_plugin.replay.effects import RowKind
from tb_plugin.trace.scope.selection import StepSelection
from tb_plugin.trace.work.device_peaks import PeakText

_FORMS: Final = ", ".join(form.example for form in FORMS.values())


class WhatIfParams(StepSelection, frozen=True, kw_only=True):
    """Of which steps, what is changed, and of how many rows the effect of 10 % is looked for."""

    edit: Annotated[Lines, msgspec.Meta(description=f"what takes less time: {_FORMS}; again for another")] = ""
    effects: UpTo200 = 30
    peak: PeakText = ""


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """How well the replay with nothing changed gives the recorded steps. Errors are of the recorded time; negative: too short."""

    replayed_ns: int  # mean step
    error_share: float  # of the mean step
    worst_error_share: float  # of the step that is furthest off
    constants_error_share: float  # of the mean step, where nothing stays late for no known reason
    unexplained_share: float
    not_launched_share: float
    n_anchored: int
    n_lost: int


class LastPath(msgspec.Struct, frozen=True, kw_only=True):
    """What the time goes by on: parts of the chain of things that waited for each other. They sum to 1."""

    host_share: float
    device_share: float
    communication_share: float
    waiting_share: float


class EditedStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step that counts."""

    number: int | None  # None: of a recording without steps
    recorded_ns: int
    replayed_ns: int
    edited_ns: int | None


class EditAlone(msgspec.Struct, frozen=True, kw_only=True):
    """One edit without the others."""

    edit: str
    step_ns: int
    change_ns: int  # negative: shorter


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What the step gains if these events take 10 % less time."""

    kind: RowKind
    name: str
    edit: str
    own_ns: int  # what the edit scales
    gain_ns: int
    effect_share: float


class EditForm(msgspec.Struct, frozen=True, kw_only=True):
    """What can be written."""

    example: str
    says: str


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """`refused` says why there is no estimate; then nothing is edited.

    A change is that from the replay with nothing edited to the replay edited; an edited time is the recorded one and the change,
    so that figures shown beside each other subtract, and shares are of the recorded step, as those of the findings.

    `on_ranks`: of one of several ranks what Ranks tells instead. `of_job`: of the edits those that are asked there.
    """

    refused: str | None
    on_ranks: str | None
    of_job: list[str]
    n_steps: int
    recorded_ns: int | None
    trust: Trust | None
    recorded_path: LastPath | None
    edited_ns: int | None
    change_ns: int | None
    at_best: bool
    low_change_ns: int | None
    high_change_ns: int | None
    edited_path: LastPath | None
    alone: list[EditAlone]
    steps: list[EditedStep]
    effects: list[Effect]
    forms: list[EditForm]
    caveats: list[str]
