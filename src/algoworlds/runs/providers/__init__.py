"""Language models as agents, over three wire APIs: Responses, Chat Completions and Messages."""
