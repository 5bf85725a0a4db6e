"""The model of the paper: relations, facts, tools, plans, interfaces, decisions, work. Knows no family."""
