"""`python -m algoworlds`: the same as the command `algoworlds`."""

import sys


def main() -> None:
    """Run the command line. Ctrl-C during its imports ends in one line as well."""
    try:
        from algoworlds.cli import main as run
    except KeyboardInterrupt:
        print("algoworlds: interrupted before it began", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
