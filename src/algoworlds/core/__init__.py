"""The paper's vocabulary: relations and facts, tools and plans, interfaces, decisions, work. Knows no family."""
