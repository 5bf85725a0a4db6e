"""AlgoWorlds: certified combinatorial worlds for agents that gather information through tools."""
