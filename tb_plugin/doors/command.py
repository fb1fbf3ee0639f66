"""The command `tb-plugin`: the shell, and one line where there is not even memory to load it. Standard library only."""

from __future__ import annotations

import sys
from typing import Final

_MB: Final = 10**6


def main() -> int:
    """The exit code."""
    try:
        from tb_plugin.doors import cli

        return cli.main()
    except (ImportError, MemoryError, SystemError) as error:  # the last: a library without memory forgot to say what happened
        limit = _most_bytes()
        if limit is None and not isinstance(error, MemoryError):
            raise  # a broken installation: where it breaks is what one has to know
        allowed = "" if limit is None else f"; ulimit -v allows {limit // _MB} MB"
        sys.stderr.write(f"tb-plugin: there is not enough memory{allowed} ({_first_cause(error)})\n")
        return 1


def _most_bytes() -> int | None:
    """What this process may map; None where nothing limits it."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _first_cause(error: BaseException) -> str:
    """NumPy says in thirty lines what to do where its files are missing; in front of them stands what happened."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return " ".join((str(error) or type(error).__name__).split())[:200]


if __name__ == "__main__":
    sys.exit(main())
