"""The built-in voices: hibari, a small neural voice whose weights come with its package.

There is one American voice in the package and a call needs two that cannot be mixed up. The second is
the same voice speaking 1/0.78 times as fast, played back at 0.78 times the rate: the same tempo, lower
(median pitch 147 Hz against 188 Hz). Lower than that, recognition collapses.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from evalib.core import ConfigError, MissingExtraError
from evalib.simulator.segments import SPEECH_LEVEL
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Pace, Samples
from evalib.simulator.speech.sound import resample, to_int16, trim

#: name -> factor on all frequencies
VOICES = {"hibari-heart": 1.0, "hibari-heart-low": 0.78}

PACES = {"normal": 1.0, "slow": 0.8}
_SEED = 0  # of the voice's noise component


class HibariTTS:
    """A hibari voice: deterministic, one thread, trimmed to where its sound begins and ends."""

    sample_rate = SAMPLE_RATE

    def __init__(self, name: str = "hibari-heart") -> None:
        if name not in VOICES:
            raise ConfigError(f"unknown hibari voice {name!r}: choose one of {', '.join(VOICES)}")
        self.name = name
        self.version = f"{_package_version()} seed={_SEED} paces={PACES} trim={SPEECH_LEVEL}"

    def synthesize(self, text: str, pace: Pace = "normal") -> Samples:
        """See :class:`~evalib.simulator.speech.interfaces.TTS`."""
        if not any(c.isalnum() for c in text):
            return np.zeros(0, np.int16)  # the voice would make a noise of "..."
        factor = VOICES[self.name]
        sound = _engine()(text, speed=PACES[pace] / factor, seed=_SEED).astype(np.float32)
        return trim(to_int16(resample(sound, SAMPLE_RATE * factor, SAMPLE_RATE)))


def _package_version() -> str:
    try:
        return f"hibari-tts {version('hibari-tts')}"
    except ImportError as e:
        raise MissingExtraError('the built-in voices need hibari-tts: pip install "evalib[sim]"') from e


@lru_cache(maxsize=1)
def _engine() -> Any:
    from hibari import Hibari

    return Hibari(threads=1)
