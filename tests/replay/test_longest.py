"""The loop of a replay says what a plain recursion says."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.replay.longest import NEVER, deciding, latest


@st.composite
def graphs(draw: st.DrawFn) -> list[list[tuple[int, int, int]]]:
    """For each node its edges: (source, weight in one version, weight in the other)."""
    weight = st.integers(-20, 100)
    sizes = range(1, draw(st.integers(1, 12)))
    return [[], *(draw(st.lists(st.tuples(st.integers(0, node - 1), weight, weight), max_size=3)) for node in sizes)]


@st.composite
def queues(draw: st.DrawFn) -> list[list[tuple[int, int, int]]]:
    """Long queues, each before a node that waits for less; what is in a queue waits for things before the queue, too."""
    number = random.Random(draw(st.integers(0, 1 << 32))).randint
    never_one_in = draw(st.sampled_from([1, 10, 200, 10_000]))
    graph: list[list[tuple[int, int, int]]] = [[]]
    for _ in range(number(1, 3)):
        begin = len(graph)
        for node in range(begin, begin + number(90, 150)):
            before = [(number(0, begin - 1), number(-20, 9000), number(-20, 100)) for _ in range(number(0, 2))]
            graph.append([*before, (node - 1, number(-20, 100), number(-20, 100) if number(0, never_one_in) else NEVER)])
        graph.append(draw(st.sampled_from([[], [(begin, 5, 5)], [(len(graph) - 1, 7, NEVER), (len(graph) - 1, 3, 4)]])))
    return graph


@given(st.one_of(graphs(), queues()))
def test_a_node_waits_for_the_last_of_its_edges_in_each_version(graph: list[list[tuple[int, int, int]]]) -> None:
    flat = [edge for edges in graph for edge in edges]
    first = np.concatenate(([0], np.cumsum([len(edges) for edges in graph])))
    source = np.array([edge[0] for edge in flat], np.int64)
    weight = np.array([edge[1:] for edge in flat], np.int64).reshape(-1, 2)
    times = latest(first, source, weight)
    for version in (0, 1):
        naive: list[int] = []
        for edges in graph:
            naive.append(max((naive[edge[0]] + edge[1 + version] for edge in edges), default=0))
        assert times[:, version].tolist() == naive
        decides = deciding(first, source, weight[:, version], times[:, version])
        for node, edge in enumerate(decides.tolist()):
            assert (edge == -1) == (not graph[node])
            if edge != -1:
                assert naive[source[edge]] + weight[edge, version] == naive[node]


def test_an_edge_that_never_holds_up_decides_nothing() -> None:
    times = latest(np.array([0, 0, 1, 3]), np.array([0, 0, 1]), np.array([[5], [9], [NEVER]]))
    assert times[:, 0].tolist() == [0, 5, 9]
