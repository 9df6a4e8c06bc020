"""Speech by a small neural network, for tracks with noise: Silero VAD.

The ONNX file is the one that the pipecat-ai package ships; onnxruntime runs it, pipecat itself is not
imported. The network hears 16 kHz in windows of 32 ms and remembers what came before, so frames are
resampled as one stream and judged in order. A frame has the verdict of the last window that was
complete when the frame ended.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalib.core import MissingExtraError, SpeechSegment
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Samples
from evalib.simulator.speech.sound import resample, to_float

_RATE = 16_000
_WINDOW = 512
_CONTEXT = 64  # samples of the window before that the network sees again


class SileroVAD:
    """Silero VAD with hysteresis.

    Parameters
    ----------
    threshold : float
        Probability from which a window is speech.
    release : float
        Probability below which speech has ended.
    merge_gap_s, min_speech_s : float
        As for the energy detector; edges are on the network's grid of 32 ms.
    """

    name = "silero"

    def __init__(
        self,
        threshold: float = 0.5,
        release: float = 0.35,
        merge_gap_s: float = 0.3,
        min_speech_s: float = 0.1,
    ) -> None:
        self.threshold = threshold
        self.release = release
        self.merge_gap_s = merge_gap_s
        self.min_speech_s = min_speech_s
        self._session = _session()
        self.reset()

    def reset(self) -> None:
        """See :class:`~evalib.simulator.speech.interfaces.VAD`."""
        import soxr

        self._resampler = soxr.ResampleStream(SAMPLE_RATE, _RATE, 1, dtype="float32", quality="LQ")
        self._pending = np.zeros(0, np.float32)
        self._speaking = False
        self._forget()

    def is_speech(self, frame: Samples) -> bool:
        """See :class:`~evalib.simulator.speech.interfaces.VAD`."""
        arrived = self._resampler.resample_chunk(to_float(frame))
        self._pending = np.concatenate((self._pending, arrived))
        while len(self._pending) >= _WINDOW:
            self._judge(self._pending[:_WINDOW])
            self._pending = self._pending[_WINDOW:]
        return self._speaking

    def segments(self, track: Samples) -> list[SpeechSegment]:
        """See :class:`~evalib.simulator.speech.interfaces.VAD`. Resets before and after."""
        self.reset()
        sound = resample(to_float(track), SAMPLE_RATE, _RATE)
        sound = np.pad(sound, (0, -len(sound) % _WINDOW))
        speaking = [self._judge(window) for window in sound.reshape(-1, _WINDOW)]
        self.reset()
        edges = np.flatnonzero(np.diff(np.array([False, *speaking, False], dtype=np.int8)))
        spans = edges.reshape(-1, 2) * (_WINDOW / _RATE)
        return self._merged(spans, len(track) / SAMPLE_RATE)

    def _merged(self, spans: NDArray[np.floating], end_s: float) -> list[SpeechSegment]:
        merged: list[list[float]] = []
        for start, end in spans.tolist():
            if merged and start - merged[-1][1] < self.merge_gap_s:
                merged[-1][1] = end
            else:
                merged.append([start, end])
        return [
            SpeechSegment(start, min(end, end_s)) for start, end in merged if end - start >= self.min_speech_s
        ]

    def _forget(self) -> None:
        self._state = np.zeros((2, 1, 128), np.float32)
        self._context = np.zeros((1, _CONTEXT), np.float32)

    def _judge(self, window: NDArray[np.float32]) -> bool:
        heard = np.concatenate((self._context, window[np.newaxis]), axis=1)
        inputs = {"input": heard, "state": self._state, "sr": _SR}
        probability, self._state = self._session.run(None, inputs)
        self._context = heard[:, -_CONTEXT:]
        bound = self.release if self._speaking else self.threshold
        self._speaking = bool(probability[0, 0] >= bound)
        return self._speaking


_SR = np.array(_RATE, np.int64)


@lru_cache(maxsize=1)
def _session() -> Any:
    try:
        import onnxruntime
    except ImportError as e:
        raise MissingExtraError(
            'speech detector "silero" needs onnxruntime: pip install "evalib[sim]"'
        ) from e
    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(_network()), options, providers=["CPUExecutionProvider"])


def _network() -> Path:
    """The ONNX file in the installed pipecat-ai, found without importing it."""
    spec = find_spec("pipecat")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder, "audio", "vad", "data", "silero_vad.onnx")
        if path.is_file():
            return path
    raise MissingExtraError(
        'speech detector "silero" needs the network that pipecat-ai ships: pip install "evalib[sim]"'
    )
