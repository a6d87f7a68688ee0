"""What all kinds of traces need."""

import subprocess

# The command that is asked; set by scripts/claims.py.
CLI = "unspool"


def lines(*command):
    done = subprocess.run([CLI, *command], capture_output=True, timeout=120)
    return done.stdout.decode(errors="replace").splitlines()


def near(told, true, tolerance=1e-9):
    return abs(told - true) <= tolerance * max(abs(true), 1e-12)


def median(values):
    """The least value that half of them do not exceed."""
    return sorted(values)[max(0, -(-len(values) // 2) - 1)] if values else 0
