"""The classes of torch's own test of module hierarchies. In a file of their own: TorchScript reads their source."""

import torch


class A(torch.nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
    def my_new_method(self, x: torch.Tensor) -> torch.Tensor:
        return x * 3

    def forward_impl_(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.my_new_method(x) + y

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        y = y - 2
        return self.forward_impl_(x, y)


class B(torch.nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 2


class C(torch.nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.A0 = A()
        self.B0 = B()

    def call_b(self, x: torch.Tensor) -> torch.Tensor:
        return self.B0.forward(x)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.A0.forward(x, y) + self.call_b(x)
