"""Model Context Protocol: `algoworlds serve`, and external programs with `algoworlds run --command`.

Needs the extra `mcp`; nothing outside this folder imports the MCP SDK.
"""
