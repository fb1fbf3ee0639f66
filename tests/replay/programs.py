"""Made programs that a replay must obey its laws on: launches, gaps, waits and a second stream, as a drawing."""

from __future__ import annotations

from hypothesis import strategies as st

_Call = st.tuples(
    st.integers(0, 60),  # gap before it, us
    st.integers(1, 30),  # its length
    st.sampled_from(["launch", "launch", "launch", "other stream", "wait"]),
    st.integers(1, 90),  # of its kernel
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Two steps of a program that a device could have run: streams in order, waits that last until all is done."""
    calls: list[str] = []
    work: dict[int, list[str]] = {7: [], 8: []}
    done = {7: 0, 8: 0}
    now, steps = 0, []
    for step in (1, 2):
        begun = now
        for gap, length, what, lasts in draw(st.lists(_Call, min_size=1, max_size=12)):
            start = now + gap + 1
            if what == "wait":
                now = max(start + length, max(done.values()) + 3)
                calls.append(f"cudaDeviceSynchronize {start}-{now}")
                continue
            stream = 8 if what == "other stream" else 7
            now = start + length
            begins = max(start + 5, done[stream] + 1)
            done[stream] = begins + lasts
            name = f"op_{len(calls)}"
            calls += [f"{name} {start}-{now}", f"cudaLaunchKernel {start}-{now}"]
            work[stream].append(f"kernel_{len(calls) % 3} {begins}-{done[stream]} <- {name}")
        now += 1
        steps.append(f"ProfilerStep#{step} {begun}-{now}")
    streams = [f"stream {stream} | {' | '.join(of)}" for stream, of in work.items() if of]
    return "\n".join([f"thread 1 | {' | '.join([*steps, *calls])}", *streams])
