"""The paper's empirical tables, one function each, named by its label there."""
