"""The worlds through the Model Context Protocol: `algoworlds serve`, and a program of one's own as `algoworlds run --command`.

Needs the extra `mcp`; nothing outside this folder imports the SDK.
"""
