"""Language models as agents, over three wire APIs: Responses, Chat Completions and Messages."""

from algoworlds.runs.providers.chat import CHAT
from algoworlds.runs.providers.messages import MESSAGES
from algoworlds.runs.providers.responses import RESPONSES
from algoworlds.runs.providers.wire import WireApi

APIS: dict[str, WireApi] = {api.name: api for api in (RESPONSES, CHAT, MESSAGES)}
"""The supported wire APIs, by their name in configurations."""
