"""How an in-process party speaks: a queue of utterances, played frame by frame.

Speech is trimmed by the detector that later reads the finished tracks, so that the modelled time to
first audio is the time to what counts as sound there, not to an engine's soft or silent beginning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalib.simulator.party import SAMPLE_RATE, TICK_S
from evalib.simulator.pcm import frames_of
from evalib.simulator.segments import speech_segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evalib.simulator.party import Frame
    from evalib.simulator.speech import Pace

SENTENCE_GAP_S = 0.2  # between utterances that follow on one another


@dataclass(eq=False)
class Utterance:
    """Something to say, and what became of it.

    Attributes
    ----------
    text : str
        What is meant.
    spoken : str
        What the voice says.
    pace : {"normal", "slow"}
    ready_s : float
        Not to begin before, seconds from the start of the call.
    insist : bool
        Not to be given up when the other side speaks.
    sound : ndarray of int16 or None
        None until it is synthesised.
    start_s, end_s : float or None
        When it was on the line; None when it never was.
    """

    text: str
    spoken: str
    pace: Pace = "normal"
    ready_s: float = 0.0
    insist: bool = False
    sound: NDArray[np.int16] | None = None
    start_s: float | None = None
    end_s: float | None = None

    def set_sound(self, pcm: NDArray[np.int16]) -> None:
        """Give it its sound, trimmed."""
        edges = speech_segments(pcm, min_speech_s=0.0)
        if edges:
            first, last = round(edges[0].start_s * SAMPLE_RATE), round(edges[-1].end_s * SAMPLE_RATE)
            self.sound = pcm[first:last]
        else:
            self.sound = pcm[:0]

    @property
    def share_said(self) -> float:
        """How much of its sound was played, 0 to 1."""
        if self.start_s is None or self.end_s is None or self.sound is None:
            return 0.0
        if not len(self.sound):
            return 1.0
        return min(1.0, (self.end_s - self.start_s) * SAMPLE_RATE / len(self.sound))

    @property
    def text_said(self) -> str:
        """What of the text was said. For one cut short an estimate: its leading words by length."""
        share = self.share_said
        if share > 0.999:
            return self.text
        words, said, budget = self.text.split(), [], share * len(self.text)
        for word in words:
            if (budget := budget - len(word)) < 0:
                break
            said.append(word)
            budget -= 1
        return " ".join(said)


class Mouth:
    """One party's voice on the line.

    Parameters
    ----------
    on_start, on_end : callable
        Told of each utterance when it begins and when it has ended.

    Attributes
    ----------
    current : Utterance or None
        What is being said.
    said : list of Utterance
        All that was begun, in order.
    """

    def __init__(self, on_start: Callable[[Utterance], None], on_end: Callable[[Utterance], None]) -> None:
        self.current: Utterance | None = None
        self.said: list[Utterance] = []
        self._queue: deque[Utterance] = deque()
        self._frames: list[Frame] = []
        self._played = 0
        self._free_s = 0.0
        self._on_start = on_start
        self._on_end = on_end

    @property
    def busy(self) -> bool:
        """Whether something is being said or waits to be."""
        return self.current is not None or bool(self._queue)

    def add(self, utterance: Utterance) -> None:
        self._queue.append(utterance)

    def next_frame(self, t: float) -> Frame | None:
        """The frame to send in the tick that starts at `t`."""
        current = self.current
        if current is not None and self._played == len(self._frames):
            self._finish(current)
        while self.current is None:
            if not self._queue:
                return None
            head = self._queue[0]
            if head.sound is None or t < head.ready_s or t < self._free_s:
                return None
            self._begin(self._queue.popleft(), t)
        frame = self._frames[self._played]
        self._played += 1
        return frame

    def stop(self) -> list[Utterance]:
        """Fall silent at once; returns what waited to be said and now will not be."""
        if self.current is not None:
            self._finish(self.current)
        dropped = list(self._queue)
        self._queue.clear()
        return dropped

    def _begin(self, utterance: Utterance, t: float) -> None:
        assert utterance.sound is not None  # checked by next_frame
        utterance.start_s = t
        self.current = utterance
        self.said.append(utterance)
        self._frames = list(frames_of(utterance.sound))
        self._played = 0
        self._on_start(utterance)
        if not self._frames:
            self._finish(utterance)

    def _finish(self, utterance: Utterance) -> None:
        assert utterance.start_s is not None  # it was begun
        assert utterance.sound is not None
        whole = self._played == len(self._frames)
        played_s = len(utterance.sound) / SAMPLE_RATE if whole else self._played * TICK_S
        utterance.end_s = round(utterance.start_s + played_s, 9)
        self._free_s = round(utterance.end_s + SENTENCE_GAP_S, 9)
        self.current = None
        self._on_end(utterance)
