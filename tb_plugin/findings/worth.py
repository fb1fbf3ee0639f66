"""From which share of the window on a finding is worth its place in the list. A check takes the rule that fits its subject."""

from __future__ import annotations

from typing import Final

NEVER_RIGHT: Final = 0.001
"""No good code does it, and the time it is seen to take is a small part of what it costs later: as soon as it can be measured."""

ONE_LINE: Final = 0.005
"""A step in good order has none of it, and an option or one line ends it: less than that is lost in how much steps vary."""

REWRITE: Final = 0.01
"""Code has to be changed for it, or the gain is an estimate: one hundredth is the least that pays for the work."""

ALWAYS_SOME: Final = 0.05
"""Every profile has some of it, those in good order too: up to one part in twenty is as it should be."""

EVERYWHERE: Final = 0.1
"""Lies between any two events, and ending it takes another way to run the model: up to one part in ten is as it should be."""
