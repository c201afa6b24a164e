"""`python -m e2e.cli`, as `plumbline`."""

import sys

from e2e.cli import main

if __name__ == "__main__":
    sys.exit(main())
