"""Measures of one evaluation. Floats begin here; exactness stays integer equality."""
