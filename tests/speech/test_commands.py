"""Voices of system programs, with programs of our own that stand for them."""

import sys
import wave

import numpy as np
import pytest

from evalib.core import ConfigError, MissingExtraError, SimulationError
from evalib.simulator.speech import make_tts

pytest.importorskip("soundfile")

# Takes flite's and espeak-ng's arguments, writes 0.1 s silence, 0.5 s tone, 0.1 s silence at 16 kHz.
_PROGRAM = """#!{python}
import math, struct, sys, wave
if "--version" in sys.argv:
    print("stand-in 1.0"); sys.exit(1)
said = open(sys.argv[sys.argv.index("-f") + 1], encoding="utf-8").read()
if "fail" in said:
    print("no such thing", file=sys.stderr); sys.exit(3)
out = sys.argv[sys.argv.index("-o" if "-o" in sys.argv else "-w") + 1]
slow = any(a in sys.argv for a in ("duration_stretch=1.25", "130"))
tone = [int(8000 * math.cos(2 * math.pi * 440 * i / 16000)) for i in range(8000 * (2 if slow else 1))]
samples = [] if "empty" in said else [0] * 1600 + tone + [0] * 1600
with wave.open(out, "wb") as f:
    f.setnchannels(1); f.setsampwidth(2); f.setframerate(16000)
    f.writeframes(struct.pack(f"<{{len(samples)}}h", *samples))
"""


@pytest.fixture(params=["flite-slt", "espeak-ng-en-gb"])
def voice(request, tmp_path, monkeypatch):
    for program in ("flite", "espeak-ng"):
        path = tmp_path / program
        path.write_text(_PROGRAM.format(python=sys.executable))
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return make_tts(request.param, cache=False)


def test_sound_is_resampled_and_trimmed(voice):
    sound = voice.synthesize("Hello, I'd like \u201cthis\u201d; -v nothing else.")
    assert sound.dtype == np.int16
    assert len(sound) == pytest.approx(12_000, abs=200)  # 0.5 s at 24 kHz
    assert abs(int(sound[0])) >= 150
    assert len(voice.synthesize("Hello", "slow")) == pytest.approx(24_000, abs=200)
    assert voice.version.startswith("stand-in 1.0")


def test_nothing_to_say_is_no_sound(voice):
    assert len(voice.synthesize(" ... ")) == 0


def test_a_program_that_fails_is_named(voice):
    with pytest.raises(SimulationError, match=r"failed: no such thing"):
        voice.synthesize("fail")
    with pytest.raises(SimulationError, match="no sound for 'empty'"):
        voice.synthesize("empty")


def test_missing_programs_and_voices(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtraError, match="apt install flite"):
        make_tts("flite-rms")
    with pytest.raises(ConfigError, match="hibari-heart, hibari-heart-low, flite-slt"):
        make_tts("flite-nobody")


def test_stand_in_writes_what_it_says(voice, tmp_path):
    """The stand-in is a WAV writer of its own: the standard library reads what it wrote."""
    import subprocess

    (tmp_path / "said.txt").write_text("x")
    command = [str(tmp_path / "flite"), "-f", str(tmp_path / "said.txt"), "-o", str(tmp_path / "o.wav")]
    subprocess.run(command, check=True)
    with wave.open(str(tmp_path / "o.wav")) as file:
        assert file.getnframes() == 11_200
