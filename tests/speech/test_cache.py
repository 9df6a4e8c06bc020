"""The cache shared by processes, and what it costs."""

import subprocess
import sys

from evalib.simulator.speech.cache import DiskCache, default_folder

_WRITE = """
import sys
from pathlib import Path
from evalib.simulator.speech.cache import DiskCache
cache = DiskCache(Path(sys.argv[1]))
content = bytes([7]) * 300_000
for i in range(60):
    cache.put("tts", "ab" + "0" * 62, content)
    assert cache.get("tts", "ab" + "0" * 62) == content
"""


def test_many_processes_write_one_entry(tmp_path):
    """A reader finds the whole entry or none; a writer leaves no temporary files behind."""
    running = [subprocess.Popen([sys.executable, "-c", _WRITE, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["0" * 62]


def test_an_empty_text_is_an_entry(tmp_path):
    cache = DiskCache(tmp_path)
    cache.put("stt", "cd" + "1" * 62, b"")
    assert cache.get("stt", "cd" + "1" * 62) == b""
    assert cache.get("stt", "ce" + "1" * 62) is None


def test_the_folder_can_be_set(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALIB_CACHE", str(tmp_path / "here"))
    assert default_folder() == tmp_path / "here"
    monkeypatch.delenv("EVALIB_CACHE")
    assert default_folder().name == "evalib"
