"""Groups of commands as a person meets them: called with nothing they print their help, and it cuts nothing."""

from typing import Any

from typer.core import TyperGroup

from algoworlds.cli.interruption import Interrupted


class Menu(TyperGroup):
    """A group whose help tells the whole first sentence of every command, on as many lines as it takes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words after the group's name; none of them asks for help."""
        return super().parse_args(ctx, args if args or ctx.resilient_parsing else ["--help"])

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an interruption is told apart from a command that ends with the same code of its own accord."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Every command with what it does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first(command.help or "")) for name, command in self.commands.items()])


def _first(text: str) -> str:
    """The first paragraph of a help text, which is one sentence."""
    return " ".join(text.strip().partition("\n\n")[0].split())
