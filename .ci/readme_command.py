"""Print a command of the README: the code block below the comment <!-- command: NAME -->."""

import re
import sys
from pathlib import Path

text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
found = re.search(rf"<!-- command: {re.escape(sys.argv[1])} -->\s*```sh\n(.*?)```", text, re.DOTALL)
if not found:
    sys.exit(f"README.md has no command {sys.argv[1]!r}")
print(found.group(1))
