"""The worlds through the Model Context Protocol: `algoworlds serve`.

Needs the extra `mcp`; nothing outside this folder imports the SDK.
"""
