"""Reading any sound file as mono int16 at 24 kHz, and writing one."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from evalib.core import AudioFormatError, MissingExtraError
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Samples
from evalib.simulator.speech.sound import resample, to_int16


def read_wav(path: str | Path) -> Samples:
    """Samples of a sound file, mono int16 at 24 kHz.

    Takes what libsndfile reads: PCM of 8 to 32 bits, float, mu-law and A-law, any sample rate, any
    number of channels (their mean). A file that is mono int16 at 24 kHz comes back sample for sample.

    Raises
    ------
    AudioFormatError
        There is no such file, it is not a sound file, has no samples, or holds NaN or infinity.
    """
    try:
        import soundfile
    except ImportError as e:
        raise MissingExtraError('reading sound files needs soundfile: pip install "evalib[sim]"') from e
    if not Path(path).is_file():
        raise AudioFormatError(f"{path}: no such file; give the path of a WAV file")
    try:
        sound, rate = soundfile.read(path, dtype="float32", always_2d=True)
    except soundfile.SoundFileError as e:
        raise AudioFormatError(f"{path}: not a sound file that can be read; convert it to PCM16 WAV") from e
    if not len(sound):
        raise AudioFormatError(f"{path}: holds no samples; record it again")
    if not np.isfinite(sound).all():
        raise AudioFormatError(f"{path}: holds NaN or infinite samples; export it again as PCM16 WAV")
    return to_int16(resample(sound.mean(axis=1, dtype=np.float32), rate, SAMPLE_RATE))


def write_wav(path: str | Path, pcm: Samples) -> None:
    """Write mono int16 samples at 24 kHz as a PCM16 WAV file; the same samples give the same bytes.

    Raises
    ------
    AudioFormatError
        The samples are not a one-dimensional int16 array.
    """
    if pcm.dtype != np.int16 or pcm.ndim != 1:
        raise AudioFormatError(
            f"{path}: samples are {pcm.dtype} of shape {pcm.shape}; give int16 of shape (n,)"
        )
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(pcm.astype("<i2").tobytes())
