"""Makes `samples/recordings/` anew: short recordings of the training scripts, on the CPU, without what names the machine.

python samples/record.py            # all: needs torch with gloo and, for torch.compile, a C++ compiler
python samples/record.py cnn ddp    # some

The goldens of the tests are of these files: afterwards run `pytest tests/goldens --update-goldens`.
"""

import dataclasses
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from tb_plugin.formats import reader
from tb_plugin.formats.stored import profile_pb

HERE = Path(__file__).resolve().parent
RECORDINGS = HERE / "recordings"
# The schedule waits and warms up for a step each: two or three are recorded.
COMMANDS = {
    "cnn": ("train_cnn.py", "--steps", "5", "--batch", "2"),
    "compiled": ("train_cnn.py", "--steps", "4", "--batch", "2", "--compile"),
    "transformer": ("train_transformer.py", "--steps", "4", "--batch", "2", "--layers", "1"),
    "ddp": ("train_ddp.py", "--steps", "5", "--batch", "8"),
}
WITH_STORED = ("cnn", "ddp")  # both files of the handler; of the others the one that every tool writes
HOST, SPAN = "node1", 1700000000000000000


def record(name):
    script, *options = COMMANDS[name]
    folder = RECORDINGS / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as made:
        caches = {"TORCHINDUCTOR_CACHE_DIR": "/tmp/inductor"}  # generated code is named by its path
        environment = {**os.environ, **caches, "PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "1"}
        subprocess.run([sys.executable, script, made, *options], cwd=HERE, env=environment, check=True)
        for source in sorted(Path(made).iterdir()):
            worker, _, ending = source.name.split(".", 2)
            worker = worker if worker.startswith("rank") else f"{HOST}_1"
            target = folder / f"{worker}.{SPAN}.{ending}"
            if ending.endswith("json.gz"):
                clean_json(source, target)
            elif name in WITH_STORED:
                clean_stored(source, target, worker)


def clean_json(source, target):
    """The same text but for the two lines that name the machine and its folders."""
    text = gzip.decompress(source.read_bytes()).decode()
    for key, value in (("host_name", HOST), ("traceName", target.name)):
        text, n = re.subn(rf'("{key}": )"[^"]*"', rf'\1"{value}"', text)
        assert n == 1, f"{n} lines with {key}"
    json.loads(text)
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def clean_stored(source, target, worker):
    trace = reader.read(source)
    metadata = {**trace.info.metadata, "traceName": target.name}
    info = msgspec.structs.replace(trace.info, source=target.name, host=HOST, worker=worker, metadata=metadata)
    profile_pb.write(dataclasses.replace(trace, info=info), target)


if __name__ == "__main__":
    for each in sys.argv[1:] or COMMANDS:
        record(each)
