"""Four ranks with NCCL, on four GPUs or all on one: one of them late, or a pipeline of which one stage computes more.

python nccl_jobs.py late_loader logs/late_loader      # rank 2 waits 12 ms for its data in each step
python nccl_jobs.py none logs/none                    # the same without
python nccl_jobs.py pipeline logs/pipeline            # 1F1B, stage 2 has twice the layers
tensorboard --logdir logs

NCCL refuses two ranks on one GPU of one host; `NCCL_HOSTID` makes it believe in four hosts. They share the GPU best under
`nvidia-cuda-mps-control -d` with `CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25`.
"""

import argparse
import os
import tempfile
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import profile, schedule
from torch.utils.data import DataLoader, Dataset

from tb_plugin import tensorboard_trace_handler

RANKS, WIDTH, LATE = 4, 512, 2
FAULTS = ("late_loader", "none", "pipeline")


class Slow(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 10_000

    def __getitem__(self, place):
        time.sleep(self.seconds)
        return torch.zeros(8)


def layers(n):
    return nn.Sequential(*[module for _ in range(n) for module in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]).cuda()


def data_parallel(rank, fault):
    """A step that reads no loss: the host is ahead of its device."""
    model = DistributedDataParallel(layers(3), bucket_cap_mb=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    inputs = torch.randn(4096, WIDTH, device="cuda")
    seconds = 0.012 if fault == "late_loader" and rank == LATE else 0.0
    batches = iter(DataLoader(Slow(seconds), batch_size=1))

    def step():
        next(batches)
        loss = model(inputs).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def pipeline(rank):
    torch.manual_seed(0)
    stage = layers(4 if rank == LATE else 2)
    optimizer = torch.optim.SGD(stage.parameters(), lr=1e-6)
    n_micro_batches = 5
    inputs = torch.randn(n_micro_batches * 8192, WIDTH, device="cuda")
    target = torch.zeros_like(inputs)
    of_stage = PipelineStage(stage, rank, RANKS, torch.device("cuda"))
    one_by_one = Schedule1F1B(of_stage, n_micro_batches, loss_fn=lambda out, wanted: (out - wanted).square().mean())

    def step():
        optimizer.zero_grad()
        if rank == 0:
            one_by_one.step(inputs)
        elif rank == RANKS - 1:
            one_by_one.step(target=target, losses=[])
        else:
            one_by_one.step()
        optimizer.step()
        torch.cuda.synchronize()

    return step


def train(rank, args, meeting_point):
    device = rank % torch.cuda.device_count()
    if torch.cuda.device_count() < RANKS:
        os.environ.update(NCCL_HOSTID=f"host{rank}", NCCL_SOCKET_IFNAME="lo", NCCL_IB_DISABLE="1")
    torch.cuda.set_device(device)
    torch.backends.cuda.matmul.allow_tf32 = False
    at = {"rank": rank, "world_size": RANKS, "device_id": torch.device("cuda", device)}
    dist.init_process_group("nccl", init_method=f"file://{meeting_point}", **at)
    step = pipeline(rank) if args.fault == "pipeline" else data_parallel(rank, args.fault)
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(20):
        step()
    torch.cuda.synchronize()
    if rank == 0:
        print(f"{args.fault}: {(time.perf_counter() - began) / 20 * 1e3:.2f} ms a step, not recorded")
    dist.barrier()
    with profile(
        schedule=schedule(wait=1, warmup=3, active=3),
        on_trace_ready=tensorboard_trace_handler(args.logdir, worker_name=f"rank{rank}"),
    ) as profiler:
        for _ in range(7):
            step()
            profiler.step()
    torch.cuda.synchronize()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("fault", choices=FAULTS)
    parser.add_argument("logdir")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train, (args, f"{folder}/meet"), nprocs=RANKS)
