"""`python -m tb_plugin`: the command `tb-plugin`, also where an environment's programs are not on the path."""

import sys

from tb_plugin.doors.command import main

if __name__ == "__main__":
    sys.exit(main())
