"""Sound files of every kind, detectors of speech, and the cache; no speech engine is needed."""

import struct
import wave

import numpy as np
import pytest

from evalib.core import AudioFormatError, ConfigError
from evalib.simulator.speech import make_stt, make_tts, make_vad, read_wav, write_wav
from evalib.simulator.speech.cache import DiskCache, content_key
from evalib.simulator.speech.cached import CachedSTT, CachedTTS

soundfile = pytest.importorskip("soundfile")
RATE = 24_000


def tone(seconds, rate=RATE, hertz=440.0, size=8000):
    return (size * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype(np.int16)


@pytest.mark.parametrize(
    ("subtype", "worst"),
    [
        ("PCM_16", 0),
        ("PCM_24", 1),
        ("PCM_32", 1),
        ("FLOAT", 1),
        ("PCM_U8", 256),
        ("ULAW", 300),
        ("ALAW", 300),
    ],
)
def test_any_encoding_is_read(tmp_path, subtype, worst):
    """8 bits step by 256; mu-law and A-law are within 1/32 of the value (G.711)."""
    sound = tone(0.5)
    soundfile.write(tmp_path / "x.wav", sound / 32768, RATE, subtype=subtype)
    read = read_wav(tmp_path / "x.wav")
    assert read.dtype == np.int16
    assert np.abs(read.astype(int) - sound).max() <= worst


def test_stereo_is_the_mean(tmp_path):
    left, right = tone(0.2), tone(0.2, hertz=660.0)
    soundfile.write(tmp_path / "x.wav", np.stack([left, right], axis=1), RATE)
    read = read_wav(tmp_path / "x.wav").astype(int)
    assert np.abs(read - (left.astype(int) + right) / 2).max() <= 1


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000])
def test_any_rate_keeps_length_and_pitch(tmp_path, rate):
    soundfile.write(tmp_path / "x.wav", tone(1.0, rate), rate)
    read = read_wav(tmp_path / "x.wav")
    assert abs(len(read) - RATE) <= 2
    spectrum = np.abs(np.fft.rfft(read * np.hanning(len(read))))
    assert np.argmax(spectrum) * RATE / len(read) == pytest.approx(440, abs=1.5)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused(tmp_path, bad):
    sound = np.zeros(100, np.float32)
    sound[7] = bad
    soundfile.write(tmp_path / "x.wav", sound, RATE, subtype="FLOAT")
    with pytest.raises(AudioFormatError, match="NaN"):
        read_wav(tmp_path / "x.wav")


def test_what_is_no_sound_is_refused(tmp_path):
    (tmp_path / "text.wav").write_text("RIFF, not really")
    soundfile.write(tmp_path / "empty.wav", np.zeros(0, np.int16), RATE)
    with pytest.raises(AudioFormatError, match="not a sound file"):
        read_wav(tmp_path / "text.wav")
    with pytest.raises(AudioFormatError, match="no samples"):
        read_wav(tmp_path / "empty.wav")
    with pytest.raises(AudioFormatError, match="no such file"):
        read_wav(tmp_path / "absent.wav")


def test_written_files_are_plain_pcm16(tmp_path):
    sound = tone(0.1)
    write_wav(tmp_path / "a.wav", sound)
    write_wav(tmp_path / "b.wav", sound)
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE)
        assert file.readframes(len(sound)) == struct.pack(f"<{len(sound)}h", *sound)
    assert (read_wav(tmp_path / "a.wav") == sound).all()
    with pytest.raises(AudioFormatError, match="int16"):
        write_wav(tmp_path / "c.wav", sound.astype(np.float32))


@pytest.fixture(params=["energy", "silero"])
def vad(request):
    if request.param == "silero":
        pytest.importorskip("pipecat")
        pytest.importorskip("onnxruntime")
    return make_vad(request.param)


def test_silence_has_no_speech(vad):
    assert vad.segments(np.zeros(3 * RATE, np.int16)) == []
    assert not any(vad.is_speech(np.zeros(480, np.int16)) for _ in range(50))


def test_speech_is_found_where_it_is(vad):
    pytest.importorskip("hibari")
    words = make_tts("hibari-heart").synthesize("I would like to change my flight, please.")
    silence = np.zeros(2 * RATE, np.int16)
    track = np.concatenate([silence, words, silence])
    segments = vad.segments(track)
    slack = 0.02 if vad.name == "energy" else 0.2
    assert segments[0].start_s == pytest.approx(2.0, abs=slack)
    assert segments[-1].end_s == pytest.approx(2.0 + len(words) / RATE, abs=slack)
    vad.reset()
    frames = [vad.is_speech(track[i : i + 480]) for i in range(0, len(track) - 479, 480)]
    assert not any(frames[:90])
    assert any(frames[100 : 100 + len(words) // 480])


def test_silero_hears_speech_and_not_noise():
    pytest.importorskip("pipecat")
    pytest.importorskip("hibari")
    words = make_tts("hibari-heart").synthesize("Hello, I need some help with my booking today.")
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 400, 2 * RATE + len(words)).astype(np.int16)
    track = noise.copy()
    track[RATE : RATE + len(words)] += words
    assert make_vad("silero").segments(noise) == []
    found = make_vad("silero").segments(track)
    assert found[0].start_s == pytest.approx(1.0, abs=0.25)
    assert make_vad("energy").segments(noise) != []  # why there are two


class CountingVoice:
    name, version, sample_rate = "counting", "1", RATE

    def __init__(self):
        self.calls = 0

    def synthesize(self, text, pace="normal"):
        self.calls += 1
        return tone(0.01 * len(text))

    def transcribe(self, pcm, sample_rate=RATE):
        self.calls += 1
        return f"{len(pcm)} samples"


def test_what_was_said_and_heard_is_kept(tmp_path):
    engine, cache = CountingVoice(), DiskCache(tmp_path)
    voice, ear = CachedTTS(engine, cache), CachedSTT(engine, cache)
    first, again, slow = (
        voice.synthesize("hello"),
        voice.synthesize("hello"),
        voice.synthesize("hello", "slow"),
    )
    assert (first == again).all()
    assert engine.calls == 2
    assert ear.transcribe(first) == ear.transcribe(again) == "1200 samples"
    assert engine.calls == 3
    assert len(slow) == len(first)


def test_a_damaged_entry_is_made_again(tmp_path):
    engine, cache = CountingVoice(), DiskCache(tmp_path)
    voice = CachedTTS(engine, cache)
    sound = voice.synthesize("hello")
    (entry,) = [p for p in tmp_path.rglob("*") if p.is_file()]
    entry.write_bytes(entry.read_bytes()[:-100])
    assert (voice.synthesize("hello") == sound).all()
    assert engine.calls == 2


def test_without_a_writable_folder_it_works_and_says_so_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    voice = CachedTTS(CountingVoice(), DiskCache(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="EVALIB_CACHE"):
        voice.synthesize("hello")
    assert len(voice.synthesize("hello")) == 1200
    assert voice.engine.calls == 2


def test_keys_keep_parts_apart():
    assert content_key("ab", "c") != content_key("a", "bc")


@pytest.mark.parametrize("make", [make_tts, make_stt, make_vad])
def test_unknown_engines_are_named_with_the_known_ones(make):
    with pytest.raises(ConfigError, match="choose one of"):
        make("nonsense")
