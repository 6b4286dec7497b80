"""Print the schema: python -m schema."""

import sys

from schema.build import build

sys.stdout.write(build().as_str() + "\n")
