"""The program: six steps of a small transformer block on one rank of two, with a data loader, AdamW and `loss.item()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.vendors.recorder import AUTOGRAD, Recorder
from tests.vendors.vendor import Work

if TYPE_CHECKING:
    from tests.vendors.recorder import Input
    from tests.vendors.vendor import Vendor

STEPS = range(5, 11)
BATCH, WIDTH, HIDDEN, CLASSES = 64, 512, 2048, 128
COLLECTIVE = {
    "Collective name": "allreduce",
    "In msg nelems": WIDTH * HIDDEN,
    "Out msg nelems": WIDTH * HIDDEN,
    "Group size": 2,
    "dtype": "Float",
    "In split size": "[]",
    "Out split size": "[]",
    "Process Group Name": "0",
    "Process Group Description": "default_pg",
    "Process Group Ranks": "[0, 1]",
}


def tensor(*dims: int) -> Input:
    return list(dims), "float"


def scalar() -> Input:
    return [], "Scalar"


class Training:
    """Draws itself on a recorder; `_saved` is what the backward pass still needs: place, sequence number, address, bytes."""

    def __init__(self, vendor: Vendor) -> None:
        self.recorder = Recorder(vendor)
        self._sequence = 40
        self._saved: dict[str, tuple[int, int, int, int]] = {}

    def text(self) -> str:
        recorder = self.recorder
        recorder.before_the_window(Work(kind="kernel", name="elementwise", duration_ns=9_000, blocks=256))
        with recorder.frame("train.py(12): main"):
            weights = recorder.allocate(4 * WIDTH * HIDDEN)
            for number in STEPS:
                with recorder.annotation(f"ProfilerStep#{number}"):
                    self._step(number)
            recorder.release(weights, 4 * WIDTH * HIDDEN)
        return recorder.text()

    def _step(self, number: int) -> None:
        recorder = self.recorder
        with recorder.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
            recorder.spend(180 if number > STEPS[0] else 420)
            with recorder.range("aten::stack", ([], "TensorList"), scalar()):
                batch = recorder.allocate(4 * BATCH * WIDTH, device=0)
        with recorder.range("aten::to", tensor(BATCH, WIDTH)), recorder.range("aten::copy_", tensor(BATCH, WIDTH)):
            inputs = recorder.allocate(4 * BATCH * WIDTH)
            copied = 4 * BATCH * WIDTH
            recorder.launch(Work(kind="copy", name="to device", duration_ns=11_000, stream="copy", bytes=copied))
        with recorder.frame("train.py(20): step"):
            with recorder.annotation("forward"):
                self._forward()
            with recorder.annotation("Optimizer.zero_grad#AdamW.zero_grad"):
                recorder.launch(Work(kind="set", name="zero", duration_ns=2_500, bytes=4 * WIDTH * HIDDEN))
            with recorder.on_thread(AUTOGRAD):
                self._backward()
            with recorder.annotation("Optimizer.step#AdamW.step"), recorder.range("aten::_foreach_addcdiv_", ([], "TensorList")):
                recorder.launch(Work(kind="kernel", name="optimizer", duration_ns=52_000, blocks=320, threads=512, registers=48))
            with recorder.range("aten::item", tensor()), recorder.range("aten::_local_scalar_dense", tensor()):
                recorder.launch(Work(kind="copy", name="to host", duration_ns=1_800, bytes=4))
                recorder.wait()
        recorder.release(inputs, 4 * BATCH * WIDTH)
        recorder.release(batch, 4 * BATCH * WIDTH, device=0)

    def _forward(self) -> None:
        recorder = self.recorder
        with recorder.frame("nn.Module: Net_0", module=0):
            with recorder.frame("nn.Module: LayerNorm_0", module=1), recorder.range("aten::layer_norm", tensor(BATCH, WIDTH)):
                self._computed("norm", "aten::native_layer_norm", "NativeLayerNorm", [tensor(BATCH, WIDTH), tensor(WIDTH)], WIDTH)
            with recorder.frame("nn.Module: Attention_0", module=2):
                heads = tensor(1, 8, BATCH, WIDTH // 8)
                with recorder.range("aten::scaled_dot_product_attention", heads, heads, heads):
                    self._computed("attention", "aten::_flash_attention_forward", "FlashAttention", [heads] * 3, WIDTH)
            for place, (width, out) in enumerate(((WIDTH, HIDDEN), (HIDDEN, CLASSES))):
                inputs = [tensor(out), tensor(BATCH, width), tensor(width, out), scalar(), scalar()]
                with recorder.frame(f"nn.Module: Linear_{place}", module=3 + place), recorder.range("aten::linear", *inputs[:3]):
                    self._computed("matmul", "aten::addmm", f"Addmm{place}", inputs, out)
                if place == 0:
                    with recorder.frame("nn.Module: GELU_0", module=5):
                        self._computed("elementwise", "aten::gelu", "Gelu", [tensor(BATCH, HIDDEN)], HIDDEN)
        with recorder.range("aten::cross_entropy_loss", tensor(BATCH, CLASSES), ([BATCH], "long int")):
            self._computed("softmax", "aten::_log_softmax", "LogSoftmax", [tensor(BATCH, CLASSES), scalar(), scalar()], CLASSES)

    def _computed(self, kernel: str, operator: str, function: str, inputs: list[Input], width: int) -> None:
        """An operator that launches one kernel and keeps its result for the backward pass."""
        recorder = self.recorder
        self._sequence += 1
        place, n_bytes = recorder.place, 4 * BATCH * width
        with recorder.range(operator, *inputs, args={"Sequence number": self._sequence, "Fwd thread id": 0}):
            address = recorder.allocate(n_bytes)
            recorder.launch(_kernel(kernel, width))
        self._saved[function] = place, self._sequence, address, n_bytes

    def _backward(self) -> None:
        recorder = self.recorder
        while self._saved:
            function, (place, sequence, address, n_bytes) = self._saved.popitem()
            name = f"{function.rstrip('01')}Backward0"
            connected = {"Sequence number": sequence, "Fwd thread id": 1}
            evaluated = recorder.range(f"autograd::engine::evaluate_function: {name}", args=connected)
            with evaluated, recorder.range(name, tensor(BATCH, n_bytes // 4 // BATCH), args=connected):
                recorder.connect(place)
                if function.startswith("Addmm"):
                    for _ in range(2):
                        with recorder.range("aten::mm", tensor(BATCH, WIDTH), tensor(WIDTH, HIDDEN)):
                            recorder.launch(_kernel("matmul", HIDDEN))
                else:
                    recorder.launch(_kernel("elementwise", n_bytes // 4 // BATCH))
            recorder.release(address, n_bytes)
            if function == "Addmm0":
                self._reduce()

    def _reduce(self) -> None:
        """The gradients of one bucket, beside the rest of the backward pass."""
        recorder, name = self.recorder, self.recorder.vendor.collectives
        if name is None:
            return
        work = Work(
            kind="kernel",
            name="allreduce",
            duration_ns=190_000,
            stream="communication",
            blocks=16,
            threads=512,
            collective=COLLECTIVE,
        )
        sent = recorder.range("record_param_comms", ([WIDTH * HIDDEN], "float"), args=COLLECTIVE)
        with recorder.range("c10d::allreduce_", ([], "TensorList")), sent, recorder.annotation(name):
            recorder.launch(work)


def _kernel(name: str, width: int) -> Work:
    """Longer for wider; one that the device fills, others that it does not."""
    if name == "matmul":
        blocks, shared = width // 16, 49_152
        return Work(kind="kernel", name=name, duration_ns=24_000 + 9 * width, blocks=blocks, registers=128, shared_bytes=shared)
    return Work(kind="kernel", name=name, duration_ns=3_000 + 4 * width, blocks=BATCH, threads=128)
