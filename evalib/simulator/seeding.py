"""Independent random streams of one call, the same in every process.

Each role draws from its own stream, so that one more draw in one place (a slower tool, say) leaves
all other draws of the call as they were.
"""

from __future__ import annotations

import hashlib
import random


def derive_seed(seed: int, *names: str) -> int:
    """A 64-bit seed of `seed` and the names: the first 8 bytes of their SHA-256."""
    key = "\x1f".join((str(seed), *names)).encode()
    return int.from_bytes(hashlib.sha256(key).digest()[:8], "big")


def derive_rng(seed: int, *names: str) -> random.Random:
    """The random stream of `seed` and the names, e.g. ``derive_rng(7, session, "agent")``."""
    return random.Random(derive_seed(seed, *names))
