"""``python -m evalib`` is the command line."""

import sys

from evalib.cli import main

if __name__ == "__main__":
    sys.exit(main())
