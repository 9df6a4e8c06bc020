"""Voices of programs that the system may have: flite and espeak-ng."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from evalib.core import AudioFormatError, ConfigError, MissingExtraError, SimulationError
from evalib.simulator.segments import SPEECH_LEVEL
from evalib.simulator.speech.interfaces import SAMPLE_RATE, Pace, Samples
from evalib.simulator.speech.sound import trim
from evalib.simulator.speech.wav import read_wav

_TIMEOUT_S = 60

# the program's arguments for a voice and a pace; {said} is a text file, {sound} the WAV to write
_ARGUMENTS = {
    "flite": "-voice {voice} --setf duration_stretch={stretch} -f {said} -o {sound}",
    "espeak-ng": "-v {voice} -s {words_per_minute} -f {said} -w {sound}",
}
_VOICES = {"flite": ("slt", "rms"), "espeak-ng": ("en-us", "en-gb")}
_PACES = {
    "normal": {"stretch": "1.0", "words_per_minute": "160"},
    "slow": {"stretch": "1.25", "words_per_minute": "130"},
}


class CommandTTS:
    """A voice of a program that reads a text file and writes a WAV file.

    Parameters
    ----------
    program : {"flite", "espeak-ng"}
    voice : str
        ``slt`` or ``rms`` of flite, ``en-us`` or ``en-gb`` of espeak-ng.

    Raises
    ------
    MissingExtraError
        The program is not installed.
    """

    sample_rate = SAMPLE_RATE

    def __init__(self, program: str, voice: str) -> None:
        if voice not in _VOICES.get(program, ()):
            raise ConfigError(f"unknown voice {program}-{voice}: choose one of {_VOICES}")
        path = shutil.which(program)
        if path is None:
            raise MissingExtraError(
                f'voice "{program}-{voice}" needs the program {program}: apt install {program}, '
                "or choose a hibari voice"
            )
        self._command = [path, *_ARGUMENTS[program].split()]
        self._voice = voice
        self.name = f"{program}-{voice}"
        # flite tells its version and fails
        program_version = " ".join(_run([path, "--version"], check=False).split())
        self.version = f"{program_version} {_PACES} trim={SPEECH_LEVEL}"

    def synthesize(self, text: str, pace: Pace = "normal") -> Samples:
        """See :class:`~evalib.simulator.speech.interfaces.TTS`."""
        if not any(c.isalnum() for c in text):
            return np.zeros(0, np.int16)
        with tempfile.TemporaryDirectory() as folder:
            files = {"said": f"{folder}/said.txt", "sound": f"{folder}/sound.wav"}
            Path(files["said"]).write_text(text, encoding="utf-8")
            _run([part.format(voice=self._voice, **_PACES[pace], **files) for part in self._command])
            try:
                return trim(read_wav(files["sound"]))
            except AudioFormatError as e:
                raise SimulationError(f"voice {self.name} gave no sound for {text!r}") from e


def _run(command: list[str], check: bool = True) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=check)
    except (OSError, subprocess.SubprocessError) as e:
        reason = getattr(e, "stderr", None) or e
        raise SimulationError(f"{command[0]} failed: {' '.join(str(reason).split())}") from e
    return done.stdout
