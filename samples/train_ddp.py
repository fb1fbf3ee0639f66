"""Trains a network with DistributedDataParallel on two processes; each records its own files, named by its rank.

python train_ddp.py logs/ddp
tensorboard --logdir logs
"""

import argparse
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import profile, schedule

from tb_plugin import tensorboard_trace_handler


def train(rank, args, meeting_point):
    dist.init_process_group("gloo", init_method=f"file://{meeting_point}", rank=rank, world_size=args.ranks)
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with profile(
        schedule=schedule(wait=1, warmup=1, active=3, repeat=2),
        on_trace_ready=tensorboard_trace_handler(args.logdir, worker_name=f"rank{rank}"),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
    ) as profiler:
        for _ in range(args.steps):
            inputs, labels = torch.randn(args.batch, 256), torch.randint(10, (args.batch,))
            loss = nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            profiler.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("logdir", nargs="?", default="logs/ddp")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train, (args, f"{folder}/meet"), nprocs=args.ranks)
    print(f"{args.ranks} ranks recorded; now: tensorboard --logdir {args.logdir}")
