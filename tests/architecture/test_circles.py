"""No file needs itself in a round: one can read a file after those that it imports, for types as well."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from tests.architecture.python_imports import ROOT, all_imports, source_files


def test_files_import_each_other_in_no_circle() -> None:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in source_files()}
    # The package itself stands above all: importing a module of it is no use of its doors.
    of_path = {path.relative_to(ROOT).as_posix(): name for name, path in names.items() if name != "tb_plugin"}
    graph: dict[str, set[str]] = {name: set() for name in of_path.values()}
    for found in all_imports():
        target = found.module
        while target and target not in graph:
            target = target.rpartition(".")[0]  # a thing in a module, or a module of another package
        source = of_path.get(found.file)
        if source is not None and target and target != source:
            graph[source].add(target)
    assert sum(map(len, graph.values())) > len(graph), "the reader of imports found next to nothing"
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" <- ".join(error.args[1])) from None
