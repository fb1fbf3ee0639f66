"""axe-core on what the page shows now. It is a tool of the tests (frontend/package.json) and never part of the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

SCRIPT = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
BAD = {"serious", "critical"}
# Of each finding its impact, and in words the rule and the first elements.
RUN = """
async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] })
  const words = (node) => `${node.html.slice(0, 160)} [${node.any.map((each) => each.message).join('; ')}]`
  return violations.map(({ impact, id, help, nodes }) => ({
    impact,
    text: `${impact} ${id} (${help}), ${nodes.length} times: ${nodes.slice(0, 3).map(words).join(' | ')}`,
  }))
}
"""


def findings(profiler: Profiler) -> list[str]:
    """What axe finds serious or critical in our part of the page, in words."""
    if not SCRIPT.is_file():
        pytest.skip("axe-core is not installed (make front-check)")
    frame = profiler.script_frame()
    if not frame.evaluate("() => 'axe' in window"):
        # Not a script element: TensorBoard's content security policy forbids what is not its own.
        frame.evaluate(SCRIPT.read_text(encoding="utf-8"))
    return [found["text"] for found in frame.evaluate(RUN) if found["impact"] in BAD]
