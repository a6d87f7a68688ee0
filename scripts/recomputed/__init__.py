"""True values of the claims of `unspool findings`, by the kind of trace. See scripts/claims.py."""
