"""By what device work can be grouped."""

from __future__ import annotations

from typing import Final

from tb_plugin.trace.groupings.categories import CATEGORY
from tb_plugin.trace.groupings.grouping import by_id
from tb_plugin.trace.groupings.launches import LAUNCH, OPERATOR, STREAM
from tb_plugin.trace.groupings.names import NAME
from tb_plugin.trace.groupings.places import MODULE

GROUPINGS: Final = by_id(NAME, LAUNCH, OPERATOR, MODULE, STREAM, CATEGORY)
