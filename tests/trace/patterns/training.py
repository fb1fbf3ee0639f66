"""A training loop with every mistake that the patterns are about, or without them."""

from __future__ import annotations


def train(*, well: bool) -> None:
    """Two steps that do everything that the patterns are about, or do it right."""
    import torch

    images = torch.utils.data.TensorDataset(torch.rand(8, 3, 8, 8))
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, bias=not well), torch.nn.BatchNorm2d(8), torch.nn.Flatten())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=well)
    for (batch,) in torch.utils.data.DataLoader(images, batch_size=4, num_workers=1 if well else 0):
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=well)
    size = 16 if well else 15
    torch.mm(torch.rand(16, size, dtype=torch.float16), torch.rand(size, 16, dtype=torch.float16))
    if not well:
        torch.zeros(100).to(torch.device("cpu"), copy=True)
        torch.rand(100).to(torch.device("cpu"), copy=True)
        row = torch.empty(600, 3)  # a twentieth of the recording where all is cold and the machine busy: 1 % is advised
        for i in range(600):
            row[i] = i
        for i in range(9):
            row[i] = i
