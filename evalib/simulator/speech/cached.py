"""A voice and a recogniser that ask the disk cache before they work."""

from __future__ import annotations

import numpy as np

from evalib.simulator.speech.cache import DiskCache, content_key
from evalib.simulator.speech.interfaces import SAMPLE_RATE, STT, TTS, Pace, Samples


class CachedTTS:
    """`engine`, with what it said kept on disk."""

    def __init__(self, engine: TTS, cache: DiskCache | None = None) -> None:
        self.engine = engine
        self.cache = cache or DiskCache()
        self.name = engine.name
        self.version = engine.version
        self.sample_rate = engine.sample_rate

    def synthesize(self, text: str, pace: Pace = "normal") -> Samples:
        """See :class:`~evalib.simulator.speech.interfaces.TTS`. The array is read-only."""
        key = content_key(self.name, self.version, pace, text)
        content: bytes | memoryview | None = self.cache.get("tts", key)
        if content is None:
            content = self.engine.synthesize(text, pace).astype("<i2").tobytes()
            self.cache.put("tts", key, content)
        return np.frombuffer(content, dtype="<i2")


class CachedSTT:
    """`engine`, with what it heard kept on disk."""

    def __init__(self, engine: STT, cache: DiskCache | None = None) -> None:
        self.engine = engine
        self.cache = cache or DiskCache()
        self.name = engine.name
        self.version = engine.version

    def transcribe(self, pcm: Samples, sample_rate: int = SAMPLE_RATE) -> str:
        """See :class:`~evalib.simulator.speech.interfaces.STT`."""
        key = content_key(self.name, self.version, str(sample_rate), pcm.tobytes())
        content: bytes | memoryview | None = self.cache.get("stt", key)
        if content is None:
            content = self.engine.transcribe(pcm, sample_rate).encode()
            self.cache.put("stt", key, content)
        return str(content, "utf-8")
