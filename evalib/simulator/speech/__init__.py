"""Speech: voices that speak, recognisers that listen, and detectors of speech.

Every engine is a small class behind one of three interfaces (:class:`TTS`, :class:`STT`,
:class:`VAD`) and is made by name: ``make_tts("hibari-heart")``, ``make_stt("whisper-tiny.en")``,
``make_vad("energy")``. All of them work without a network. Sound is mono int16 at 24 kHz.
"""

from evalib.simulator.speech.interfaces import SAMPLE_RATE, STT, TTS, VAD, Pace, Samples
from evalib.simulator.speech.registry import make_stt, make_tts, make_vad, voice
from evalib.simulator.speech.wav import read_wav, write_wav

__all__ = [
    "SAMPLE_RATE",
    "STT",
    "TTS",
    "VAD",
    "Pace",
    "Samples",
    "make_stt",
    "make_tts",
    "make_vad",
    "read_wav",
    "voice",
    "write_wav",
]
