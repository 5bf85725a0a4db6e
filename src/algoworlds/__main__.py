"""The command line as a module: `python -m algoworlds` is `algoworlds`."""

import sys


def main() -> None:
    """Run a command; who interrupts before anything has begun is told so in one line as well."""
    try:
        from algoworlds.cli import main as run
    except KeyboardInterrupt:
        print("algoworlds: interrupted before it began", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
