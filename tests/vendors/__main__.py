"""Writes the device traces of `samples/recordings/` anew: python -m tests.vendors"""

from __future__ import annotations

import gzip

from tests.vendors.files import VENDORS, path_of
from tests.vendors.training import Training

for vendor in VENDORS:
    path = path_of(vendor)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(Training(vendor).text().encode(), 9, mtime=0))
