"""Trains a small transformer to predict the next of made-up tokens, and records two cycles of three steps.

python train_transformer.py logs/transformer
tensorboard --logdir logs
"""

import argparse

import torch
from torch import nn
from torch.profiler import profile, record_function, schedule

from tb_plugin import tensorboard_trace_handler

parser = argparse.ArgumentParser()
parser.add_argument("logdir", nargs="?", default="logs/transformer")
parser.add_argument("--steps", type=int, default=12)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--layers", type=int, default=2)
args = parser.parse_args()
VOCABULARY, WIDTH, LENGTH = 256, 64, 64


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=4 * WIDTH, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, num_layers=args.layers)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device)
        return self.head(self.layers(self.embed(tokens), mask=mask, is_causal=True))


torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = Model().to(device)
optimizer = torch.optim.AdamW(model.parameters())
handler = tensorboard_trace_handler(args.logdir)
plan = schedule(wait=1, warmup=1, active=3, repeat=2)
options = {"record_shapes": True, "profile_memory": True, "with_stack": True}
with profile(schedule=plan, on_trace_ready=handler, **options) as profiler:
    for _ in range(args.steps):
        tokens = torch.randint(VOCABULARY, (args.batch, LENGTH + 1), device=device)
        with record_function("forward"):
            loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        profiler.step()

handler.flush()
print(f"last loss {loss.item():.3f}; now: tensorboard --logdir {args.logdir}")
