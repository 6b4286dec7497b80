"""Print docs/settings.md."""

import sys

from gateway.settings.document import settings_document

sys.stdout.write(settings_document())
