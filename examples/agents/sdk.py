"""An agent on the OpenAI SDK, for any server that speaks Chat Completions; `pip install 'algoworlds[models]'` brings the SDK.

OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=... AGENT_MODEL=my-model \
    algoworlds run suite --agent examples/agents/sdk.py:play --label "My agent" --out runs/sdk --concurrency 4
"""

import os

from openai import OpenAI


def play(world):
    """Let the model call tools until it submits, or answers without a call."""
    tools = [{"type": "function", "function": tool} for tool in world.tools]
    options = {"model": os.environ["AGENT_MODEL"], "tools": tools, "parallel_tool_calls": False}
    client, messages = OpenAI(), [{"role": "user", "content": world.question}]
    while not world.done:
        message = client.chat.completions.create(messages=messages, **options).choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return
        for call in message.tool_calls:
            observation = world.call(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": observation.text})
