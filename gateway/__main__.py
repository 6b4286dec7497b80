"""The entry point of gpu-gateway, and of `python -m gateway`."""

import sys


def run() -> int:
    """Run the command line; Ctrl-C ends it quietly from its first moment on."""
    try:
        from gateway.cli import main  # noqa: PLC0415 - its imports take a second, in which Ctrl-C may come

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(run())
