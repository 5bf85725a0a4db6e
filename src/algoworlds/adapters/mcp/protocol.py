"""What MCP clients are offered of an evaluation: the tools of its world, word for word, and the task; no resources."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from algoworlds.adapters.mcp.hall import Room

TASK = "get_task"
"""The free tool that tells the task, for clients that show no prompts; no world has a tool of that name."""
CONNECTING = ("initialize", "server/discover")
"""Requests by which a client begins, of either era of the protocol."""
LONGEST_NAME = 100
"""Characters of what a client says it is that are noted."""
META = "io.modelcontextprotocol/"
"""Before the names by which a client of the younger era tells of itself in every request."""
UNABLE = "The server cannot answer this now; send the same request again later."
_TOLD = "The task: what is asked, the tools and their prices, the budget, the rules. Free, as often as you like."
_INSTRUCTIONS = (
    f"A task to be solved by calling the tools of this server. {TASK} tells the task; it is free, other tools have prices."
)

CallNext = Callable[[Any], Awaitable[Any]]


def server(room_of: Callable[[Any], Room]) -> Any:
    """The SDK's server, which finds the evaluation that a request is about by the request's context."""

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        shown = (await room_of(context).presented()).tools
        task = types.Tool(name=TASK, description=_TOLD, input_schema={"type": "object", "properties": {}})
        tools = [
            types.Tool(name=each["name"], description=each["description"], input_schema=each["parameters"]) for each in shown
        ]
        return types.ListToolsResult(tools=[task, *tools])

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        room, tool = room_of(context), params.arguments["tool"]
        if tool == TASK:
            text = (await room.presented()).question
        else:
            text = (await room.call(tool, params.arguments["arguments"], context.request_id)).text
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name="task", description=_TOLD)])

    async def get_prompt(context: Any, params: Any) -> types.GetPromptResult:
        text = types.TextContent(type="text", text=(await room_of(context).presented()).question)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def guard(context: Any, call_next: CallNext) -> Any:
        """What goes wrong on our side is told to whoever runs this: it may name files, and so worlds."""
        try:
            return await call_next(context)
        except (MCPError, ValidationError):
            raise
        except Exception as problem:
            room_of(context).fail(problem)
            raise MCPError(types.INTERNAL_ERROR, UNABLE) from None

    async def admit(context: Any, call_next: CallNext) -> Any:
        """Note who connects, and let every call through to the episode, which has an answer for whatever is given."""
        if context.method in CONNECTING:
            await room_of(context).greet(client_of(context.params))
        if context.method == "tools/call" and isinstance(context.params, Mapping):
            given = {name: context.params.get(name) for name in ("name", "arguments")}
            wrapped = {"name": TASK, "arguments": {"tool": given["name"], "arguments": given["arguments"]}}
            return await call_next(replace(context, params={**context.params, **wrapped}))
        return await call_next(context)

    made: Any = Server(
        "algoworlds",
        version=version("algoworlds"),
        instructions=_INSTRUCTIONS,
        get_tool_input_schema=lambda name: None,  # no headers repeat arguments here, so there is nothing to compare
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    made.middleware[:] = [guard, admit]  # and none that tells others of requests, as the SDK's own does
    return made


def client_of(params: Any) -> dict[str, str]:
    """What a client says it is and speaks, in either era's words; nothing if it does not."""
    told = params if isinstance(params, Mapping) else {}
    meta = told["_meta"] if isinstance(told.get("_meta"), Mapping) else {}
    info, protocol = (told.get(name) or meta.get(META + name) for name in ("clientInfo", "protocolVersion"))
    named = {**(info if isinstance(info, Mapping) else {}), "protocol": protocol}
    return {name: str(named[name])[:LONGEST_NAME] for name in ("name", "version", "protocol") if named.get(name)}
