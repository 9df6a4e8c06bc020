"""The fallback recogniser: pocketsphinx, small and fast, with six times the word error of Whisper."""

from __future__ import annotations

from importlib.metadata import version

from evalib.core import MissingExtraError
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Samples
from evalib.simulator.speech.sound import resample, to_float, to_int16, trim

_RATE = 16_000


class PocketsphinxSTT:
    """CMU PocketSphinx with the English model of its package. Writes lower-case words, no figures."""

    name = "pocketsphinx"

    def __init__(self) -> None:
        try:
            from pocketsphinx import Decoder
        except ImportError as e:
            raise MissingExtraError(
                'recogniser "pocketsphinx" needs its package: pip install "evalib[pocketsphinx]"'
            ) from e
        self.version = version("pocketsphinx")
        self._new_decoder = Decoder

    def transcribe(self, pcm: Samples, sample_rate: int = SAMPLE_RATE) -> str:
        """See :class:`~evalib.simulator.speech.interfaces.STT`."""
        speech = trim(pcm, 0.1, sample_rate)
        if not len(speech):
            return ""
        # a new decoder each time: it adapts to what it heard, so that order would matter
        decoder = self._new_decoder(samprate=_RATE, loglevel="ERROR")
        decoder.start_utt()
        sound = to_int16(resample(to_float(speech), sample_rate, _RATE))
        decoder.process_raw(sound.tobytes(), full_utt=True)
        decoder.end_utt()
        best = decoder.hyp()
        return best.hypstr if best else ""
