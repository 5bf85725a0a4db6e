"""The wire APIs, in one list: all that reads or lists them begins here."""

from algoworlds.runs.providers.chat import CHAT
from algoworlds.runs.providers.messages import MESSAGES
from algoworlds.runs.providers.responses import RESPONSES
from algoworlds.runs.providers.wire import Api

APIS: dict[str, Api] = {api.name: api for api in (RESPONSES, CHAT, MESSAGES)}
