"""Everything a human player uses: notebook, decision builder, terminal and browser front ends."""
