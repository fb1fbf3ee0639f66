"""Trains a small convolutional network on made-up pictures and records two cycles of three steps.

python train_cnn.py logs/cnn
tensorboard --logdir logs
"""

import argparse

import torch
from torch import nn
from torch.profiler import profile, record_function, schedule
from torch.utils.data import DataLoader, TensorDataset

from tb_plugin import tensorboard_trace_handler

parser = argparse.ArgumentParser()
parser.add_argument("logdir", nargs="?", default="logs/cnn")
parser.add_argument("--steps", type=int, default=12)
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--compile", action="store_true", help="with torch.compile; the first step compiles and is not recorded")
args = parser.parse_args()

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
pictures = TensorDataset(torch.randn(args.steps * args.batch, 3, 32, 32), torch.randint(10, (args.steps * args.batch,)))
loader = DataLoader(pictures, batch_size=args.batch, shuffle=True)
model = nn.Sequential(
    nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
    nn.Sequential(nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2)),
    nn.Sequential(nn.Flatten(), nn.Linear(64 * 8 * 8, 128), nn.ReLU(), nn.Linear(128, 10)),
).to(device)
forward = torch.compile(model) if args.compile else model
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
loss_of = nn.CrossEntropyLoss()

with profile(
    schedule=schedule(wait=1, warmup=1, active=3, repeat=2),
    on_trace_ready=tensorboard_trace_handler(args.logdir, model=model),
    record_shapes=True,
    profile_memory=True,
    with_stack=True,
) as profiler:
    for inputs, labels in loader:
        with record_function("forward"):
            loss = loss_of(forward(inputs.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        profiler.step()

print(f"last loss {loss.item():.3f}; now: tensorboard --logdir {args.logdir}")
