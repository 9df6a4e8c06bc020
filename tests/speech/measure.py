"""How well the built-in recogniser hears the built-in voices: ``python tests/speech/measure.py``.

Nothing is cached and everything runs on one core. The sentences and long turns are about airline
trouble; the codes are 40 random ones, the names 20. Measured with hibari-tts 0.2.1, faster-whisper 1.2.1
and ctranslate2 4.8.5 on one core of a shared 2.4 GHz EPYC, ``hibari-heart`` / ``hibari-heart-low``::

    word error, 40 sentences                            1.0% / 3.4%
    word error, 24 turns of 5 to 29 s                   1.4% / 4.0%
    codes, plain                                        40 of 40 / 34 of 40
    codes, plain, slow                                  40 of 40 / 39 of 40
    codes, NATO                                         39 of 40 / 38 of 40
    codes, NATO, slow                                   39 of 40 / 39 of 40
    names, spelled                                      18 of 20 / 17 of 20
    names, NATO, slow                                   20 of 20 / 17 of 20
    real-time factor, speaking                          0.047 / 0.019
    real-time factor, hearing                           0.112 / 0.139

What was tried for plain codes, 25 or 50 for each voice: letters with commas and nothing else 41 and
34 of 50; groups of three 18 and 14 of 25; no commas 15 and 13 of 25; periods and dashes worse. Most of
what was lost were Z heard as C and O heard as 0. "Z as in Zulu" said in one breath makes Whisper loop;
with a pause, "Z, as in Zulu", it is heard 38 times of 40. Five beams help codes a little and lose more
in sentences (low voice 3.9% against 2.0%).
"""

from __future__ import annotations

import random
import string
import time
from collections.abc import Callable

from evalib.core import spoken
from evalib.metrics import normalise
from evalib.simulator.speech import SAMPLE_RATE, STT, TTS, make_stt, make_tts

VOICES = ("hibari-heart", "hibari-heart-low")

SENTENCES = """\
Hi, I need to change my flight to an earlier one today.
My flight was canceled because of the weather and I missed my connection.
Can you move me to the morning departure instead?
I would like a window seat, or an aisle seat if there is no window left.
What is the change fee on a main cabin ticket?
Yes, that is correct, please go ahead.
No, thank you, that is everything I needed.
I am standing at the gate and they just closed the door.
Please put me on the standby list for the next flight to Chicago.
How much would I get back if I cancel the trip?
I want the refund on my credit card, not as a travel credit.
My departure is on June eighteenth from Los Angeles.
The flight leaves Denver at 2:25 PM and lands at 5:40 PM.
I found your reservation, thank you for waiting.
There is one seat left in premium economy on that flight.
Your new total is 129 dollars and 50 cents.
Would you like me to book it for you?
I have moved you to the flight that leaves at 9:15 AM.
Your seat is 14 C, on the aisle.
A hotel voucher and a meal voucher have been issued for tonight.
I am sorry, but basic economy tickets cannot be changed.
Could you repeat that more slowly, please?
I did not catch the last name, could you spell it for me?
My daughter is travelling with me on the same booking.
We have two checked bags and one carry on.
Is there a direct flight from Boston to Seattle tomorrow?
I was told yesterday that the airline would cover the difference.
Let me check the available flights for you.
The earliest option arrives at ten in the evening.
I will transfer you to a live agent now.
That does not work for me, I need to be there before noon.
Why was my flight delayed by four hours?
I can offer you a travel credit worth 200 dollars.
Do I keep my frequent flyer upgrade on the new flight?
Please send the confirmation to my email address.
The crew timed out, so the flight has been canceled.
I would rather take the later flight than pay more.
Your request has been completed, is there anything else?
Goodbye, and have a pleasant journey.
I missed my flight because the security line was too long.""".splitlines()

_LAST_NAMES = """\
Okafor Svensson Marchetti Delacroix Hernandez Osborne Whitaker Papadakis Nakamura Steinberg Bianchi
Mbeki Chaudhry Lefebvre Kowalczyk Douglas Espinoza Villanueva Thornton McKenzie"""
LAST_NAMES = _LAST_NAMES.split()


def codes(n: int, seed: int) -> list[str]:
    """Random confirmation codes of six letters and figures."""
    rng = random.Random(seed)
    return ["".join(rng.choices(string.ascii_uppercase + string.digits, k=6)) for _ in range(n)]


def heard_right(
    voice: TTS,
    stt: STT,
    values: list[str],
    say: Callable[[str], str],
    hear: Callable[[str], str | None],
    pace: str = "normal",
) -> int:
    """How many values come back as they were."""
    heard = (hear(stt.transcribe(voice.synthesize(say(value), pace))) for value in values)
    return sum((h or "").lower() == v.lower() for h, v in zip(heard, values, strict=True))


def code_sentence(code: str, nato: bool = False) -> str:
    return f"My confirmation number is {spoken.say_code(code, nato=nato)}."


def nato_sentence(code: str) -> str:
    return code_sentence(code, nato=True)


def name_sentence(name: str, nato: bool = False) -> str:
    return f"The last name is {name}. That is spelled {spoken.spell_name(name, nato=nato)}."


def word_errors(voice: TTS, stt: STT, sentences: list[str]) -> float:
    """Word error rate over sentences, both sides normalised."""
    import jiwer

    heard = [normalise(stt.transcribe(voice.synthesize(s))) for s in sentences]
    return jiwer.wer([normalise(s) for s in sentences], heard)


def long_turns(n: int, seed: int) -> list[str]:
    """Utterances of two to seven sentences, as an agent's turns are: 5 to 29 s."""
    rng = random.Random(seed)
    return [" ".join(rng.sample(SENTENCES, 2 + i % 6)) for i in range(n)]


def real_time_factors(voice: TTS, stt: STT) -> tuple[float, float]:
    """Seconds of work per second of sound, speaking and hearing the sentences; engines loaded."""
    start = time.perf_counter()
    sounds = [voice.synthesize(s) for s in SENTENCES]
    spoken_at = time.perf_counter()
    for sound in sounds:
        stt.transcribe(sound)
    heard_at = time.perf_counter()
    length = sum(len(s) for s in sounds) / SAMPLE_RATE
    return (spoken_at - start) / length, (heard_at - spoken_at) / length


def main() -> None:
    stt = make_stt("whisper-tiny.en", cache=False)
    voices = [make_tts(name, cache=False) for name in VOICES]
    for voice in voices:
        stt.transcribe(voice.synthesize("Hello."))  # loads the engines

    def row(what: str, *figures: str) -> None:
        print(f"{what:<52}" + " / ".join(figures), flush=True)

    for name, sentences in (("40 sentences", SENTENCES), ("24 turns of 5 to 29 s", long_turns(24, 5))):
        row(f"word error, {name}", *(f"{word_errors(v, stt, sentences):.1%}" for v in voices))

    random_codes = codes(40, seed=2026)
    cases: list[tuple[str, list[str], Callable[[str], str], Callable[[str], str | None], str]] = [
        ("codes, plain", random_codes, code_sentence, spoken.hear_code, "normal"),
        ("codes, plain, slow", random_codes, code_sentence, spoken.hear_code, "slow"),
        ("codes, NATO", random_codes, nato_sentence, spoken.hear_code, "normal"),
        ("codes, NATO, slow", random_codes, nato_sentence, spoken.hear_code, "slow"),
        ("names, spelled", LAST_NAMES, name_sentence, spoken.hear_name, "normal"),
        ("names, NATO, slow", LAST_NAMES, lambda n: name_sentence(n, True), spoken.hear_name, "slow"),
    ]
    for what, values, say, hear, pace in cases:
        right = [heard_right(v, stt, values, say, hear, pace) for v in voices]
        row(what, *(f"{r} of {len(values)}" for r in right))

    factors = [real_time_factors(v, stt) for v in voices]
    row("real-time factor, speaking", *(f"{f[0]:.3f}" for f in factors))
    row("real-time factor, hearing", *(f"{f[1]:.3f}" for f in factors))


if __name__ == "__main__":
    main()
