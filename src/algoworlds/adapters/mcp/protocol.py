"""What MCP clients are offered of an evaluation: the tools of its world, word for word, and the task; no resources."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from algoworlds.adapters.mcp.sessions import ServedSession
from algoworlds.families import load_family
from algoworlds.worlds.observation import Status

TASK_TOOL = "get_task"
"""The free tool that returns the task, for clients that show no prompts; no world has a tool of that name."""
HANDSHAKE_METHODS = ("initialize", "server/discover")
"""The first request of a client, before and since protocol version 2026-07-28."""
MAX_CLIENT_NAME_CHARS = 100
"""Characters recorded of each value by which a client describes itself."""
META_PREFIX = "io.modelcontextprotocol/"
"""Prefix of the names by which clients since 2026-07-28 describe themselves in every request."""
UNAVAILABLE_MESSAGE = "The server cannot answer this now; send the same request again later."
READING = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
"""Annotations of a tool that returns information: clients may call it without asking their user."""
SUBMITTING = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
"""Annotations of the tool that commits to a decision and ends the episode."""
SUCCESSES = (Status.EXECUTED, Status.SUBMITTED, Status.COMPUTED)
"""Statuses of calls that were not rejected."""
_TASK_DESCRIPTION = "The task: what is asked, the tools and their prices, the budget, the rules. Free, as often as you like."
_INSTRUCTIONS = (
    f"A task to be solved by calling the tools of this server. {TASK_TOOL} tells the task; it is free, other tools have prices."
)

CallNext = Callable[[Any], Awaitable[Any]]


def build_server(find_session: Callable[[Any], ServedSession]) -> Any:
    """The SDK's server; `find_session` returns the session that a request context belongs to."""

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        world = await find_session(context).public_world()
        submit = load_family(world.entry.family).template.decision_tools.submit
        task = {"name": TASK_TOOL, "description": _TASK_DESCRIPTION, "parameters": {"type": "object", "properties": {}}}
        tools = [
            types.Tool(
                name=tool["name"],
                description=tool["description"],
                input_schema=tool["parameters"],
                annotations=SUBMITTING if tool["name"] == submit else READING,
            )
            for tool in (task, *world.tools)
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        session, tool = find_session(context), params.arguments["tool"]
        is_error = False
        if tool == TASK_TOOL:
            text = (await session.public_world()).question
        else:
            observation = await session.call(tool, params.arguments["arguments"], context.request_id)
            text, is_error = observation.text, observation.status not in SUCCESSES
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)

    async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name="task", description=_TASK_DESCRIPTION)])

    async def get_prompt(context: Any, params: Any) -> types.GetPromptResult:
        text = types.TextContent(type="text", text=(await find_session(context).public_world()).question)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def hide_faults(context: Any, call_next: CallNext) -> Any:
        """Report faults on our side to the session only: their text may name files, and so worlds."""
        try:
            return await call_next(context)
        except (MCPError, ValidationError):
            raise
        except Exception as problem:
            find_session(context).fail(problem)
            raise MCPError(types.INTERNAL_ERROR, UNAVAILABLE_MESSAGE) from None

    async def admit(context: Any, call_next: CallNext) -> Any:
        """Record clients that connect, and wrap calls so that the episode answers whatever a client sends."""
        if context.request_id is None:  # a notification: nothing is called or recorded
            return await call_next(context)
        if context.method in HANDSHAKE_METHODS:
            await find_session(context).note_client(client_info(context.params))
        if context.method == "tools/call" and isinstance(context.params, Mapping):
            # The SDK would reject unknown names and malformed arguments: it sees only a valid call of `TASK_TOOL`.
            call = {"tool": context.params.get("name"), "arguments": context.params.get("arguments")}
            context = replace(context, params={**context.params, "name": TASK_TOOL, "arguments": call})
        return await call_next(context)

    server: Any = Server(
        "algoworlds",
        version=version("algoworlds"),
        instructions=_INSTRUCTIONS,
        get_tool_input_schema=lambda name: None,  # no header repeats an argument, so there is nothing to validate
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    server.middleware[:] = [hide_faults, admit]  # replaces the SDK's default, which reports requests to OpenTelemetry
    return server


def client_info(params: Any) -> dict[str, str]:
    """Name, version and protocol of a client from its first request's `params`, as far as it gives them."""
    params = params if isinstance(params, Mapping) else {}
    meta = params["_meta"] if isinstance(params.get("_meta"), Mapping) else {}
    info, protocol = (params.get(name) or meta.get(META_PREFIX + name) for name in ("clientInfo", "protocolVersion"))
    values = {**(info if isinstance(info, Mapping) else {}), "protocol": protocol}
    return {name: str(values[name])[:MAX_CLIENT_NAME_CHARS] for name in ("name", "version", "protocol") if values.get(name)}
