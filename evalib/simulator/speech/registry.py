"""Engines by name. An engine is used when it is asked for, never because another is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from evalib.core import ConfigError
from evalib.simulator.speech.interfaces import STT, TTS, VAD

T = TypeVar("T")

#: The voices of the two ends of a call, unless others are asked for.
ROLES = {"caller": "hibari-heart", "agent": "hibari-heart-low"}


def _hibari(name: str) -> TTS:
    from evalib.simulator.speech.hibari import HibariTTS

    return HibariTTS(name)


def _command(name: str) -> TTS:
    from evalib.simulator.speech.commands import CommandTTS

    program = "flite" if name.startswith("flite") else "espeak-ng"
    return CommandTTS(program, name.removeprefix(f"{program}-"))


def _whisper(name: str) -> STT:
    from evalib.simulator.speech.whisper import WhisperSTT

    return WhisperSTT(name.removeprefix("whisper-"))


def _sphinx(name: str) -> STT:
    from evalib.simulator.speech.sphinx import PocketsphinxSTT

    return PocketsphinxSTT()


def _energy(**options: float) -> VAD:
    from evalib.simulator.speech.energy import EnergyVAD

    return EnergyVAD(**options)


def _silero(**options: float) -> VAD:
    from evalib.simulator.speech.silero import SileroVAD

    return SileroVAD(**options)


VOICES: dict[str, Callable[[str], TTS]] = {
    "hibari-heart": _hibari,
    "hibari-heart-low": _hibari,
    "flite-slt": _command,
    "flite-rms": _command,
    "espeak-ng-en-us": _command,
    "espeak-ng-en-gb": _command,
}
RECOGNISERS: Mapping[str, Callable[[str], STT]] = {
    f"whisper-{size}": _whisper
    for size in ("tiny.en", "base.en", "small.en", "medium.en", "tiny", "base", "small", "large-v3")
} | {"pocketsphinx": _sphinx}
DETECTORS: dict[str, Callable[..., VAD]] = {"energy": _energy, "silero": _silero}


def make_tts(name: str, cache: bool = True) -> TTS:
    """The voice of a name; with `cache`, what it says is kept on disk.

    Raises
    ------
    ConfigError
        There is no such voice; the message lists those there are.
    MissingExtraError
        The voice's package or program is not installed.
    """
    engine = _known(VOICES, name, "voice")(name)
    if not cache:
        return engine
    from evalib.simulator.speech.cached import CachedTTS

    return CachedTTS(engine)


def make_stt(name: str = "whisper-tiny.en", cache: bool = True) -> STT:
    """The recogniser of a name; with `cache`, what it hears is kept on disk. Raises as `make_tts`."""
    engine = _known(RECOGNISERS, name, "recogniser")(name)
    if not cache:
        return engine
    from evalib.simulator.speech.cached import CachedSTT

    return CachedSTT(engine)


def make_vad(name: str = "energy", **options: float) -> VAD:
    """The speech detector of a name, new and reset. Raises as `make_tts`."""
    return _known(DETECTORS, name, "speech detector")(**options)


def voice(role: str, cache: bool = True) -> TTS:
    """The built-in voice of ``"caller"`` or ``"agent"``: two that cannot be mixed up."""
    return make_tts(_known(ROLES, role, "role"), cache)


def _known(table: Mapping[str, T], name: str, what: str) -> T:
    if name not in table:
        raise ConfigError(f"unknown {what} {name!r}: choose one of {', '.join(table)}")
    return table[name]
