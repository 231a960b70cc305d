"""The seed of a random test that is a script, as from_environment.hpp has it for programs."""

import os
import secrets


def thorough():
    """Whether this is ./run test --all, which tries more."""
    return "ANEMONE_FRESH_SEEDS" in os.environ


def seed():
    """ANEMONE_TEST_SEED; or 1; or, where ANEMONE_FRESH_SEEDS is set, another one each time. Whoever asks prints it."""
    fresh = secrets.randbelow(10**9) if thorough() else 1
    return int(os.environ.get("ANEMONE_TEST_SEED", fresh))
