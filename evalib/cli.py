"""The command line. Every command is one public function; errors are one line and exit code 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalib.core import KEY_COLUMNS, ConfigError, EvalibError

if TYPE_CHECKING:
    from evalib.store.run import Run

_DESCRIPTION = """\
Evaluate conversational voice agents: simulate spoken calls, score them, say what may be concluded.

  evalib demo                       a whole evaluation, spoken and scored, with no key and no network
  evalib scenarios                  what there is to call about
  evalib simulate --agent hasty     phone an agent about every scenario and store the calls
  evalib score RUN                  score the calls of a run folder
  evalib report RUN                 tables and pictures of a scored run
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help()
        return 0
    try:
        args.run(args)
    except EvalibError as exc:
        print(f"evalib: {exc}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("evalib: interrupted; run the same command again to continue", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="evalib", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    demo = _command(commands, "demo", _demo, "simulate, score and draw two agents on built-in scenarios")
    demo.add_argument(
        "--out", type=Path, default=Path("results/demo"), help="run folder (default: %(default)s)"
    )
    demo.add_argument(
        "--quick", action="store_true", help="words instead of speech, and by default fewer calls"
    )
    demo.add_argument("--scenarios", type=int, help="how many scenarios (default: 6, quick: 2)")
    demo.add_argument("--trials", type=int, help="calls per scenario and agent (default: 3, quick: 1)")
    _add_common(demo)

    simulate = _command(commands, "simulate", _simulate, "phone agents about scenarios and store the calls")
    _add_source(simulate)
    simulate.add_argument("--ids", nargs="+", metavar="ID", help="only these scenarios")
    simulate.add_argument("--language", default="en", help="language of the caller (default: %(default)s)")
    simulate.add_argument(
        "--agent",
        nargs="+",
        default=["reference"],
        metavar="NAME",
        help="reference, careful, hasty, slow (default: reference)",
    )
    simulate.add_argument(
        "--trials", type=int, default=1, help="calls per scenario and agent (default: %(default)s)"
    )
    simulate.add_argument(
        "--fidelity",
        choices=("audio", "text"),
        default="audio",
        help="speech, or words only (default: %(default)s)",
    )
    simulate.add_argument(
        "--vad", default="energy", help="voice activity detector: energy or silero (default: %(default)s)"
    )
    simulate.add_argument("--stt", default="whisper-tiny.en", help="speech recogniser (default: %(default)s)")
    simulate.add_argument(
        "--out", type=Path, help="run folder to write or continue (default: results/<domain>-<fidelity>)"
    )
    _add_common(simulate)

    score = _command(commands, "score", _score, "score the calls of a run folder")
    score.add_argument("folder", type=Path, metavar="RUN", help="run folder")
    score.add_argument("--metrics", nargs="+", metavar="NAME", help="only these metrics (default: all)")

    report = _command(commands, "report", _report, "tables and pictures of a run, scoring it if need be")
    report.add_argument("folder", type=Path, metavar="RUN", help="run folder")
    report.add_argument("--out", type=Path, help="folder for the pictures (default: RUN/figures)")

    scenarios = _command(commands, "scenarios", _scenarios, "list scenarios, or replay their reference calls")
    _add_source(scenarios)
    scenarios.add_argument(
        "--replay", action="store_true", help="run the reference calls and compare the final state"
    )

    bench = _command(commands, "bench", _bench, "measure how fast calls or statistics are on this machine")
    bench.add_argument(
        "what",
        nargs="?",
        choices=("calls", "statistics"),
        default="calls",
        help="simulated calls, or statistics beside statsmodels, scipy and lme4 (default: %(default)s)",
    )
    bench.add_argument(
        "--seconds", type=float, default=5.0, help="time for each measurement of calls (default: %(default)s)"
    )

    _command(commands, "versions", _versions, "versions of evalib and of what it uses")
    return parser


def _command(commands: Any, name: str, run: Any, what: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")
    parser.set_defaults(run=run)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="same seed, same calls (default: %(default)s)")
    parser.add_argument("--jobs", type=int, help="processes that simulate (default: one per core)")


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", default="builtin", metavar="FOLDER", help="EVA-Bench data folder (default: built-in)"
    )
    parser.add_argument("--domain", help="airline, itsm or medical_hr (default: every one there is)")


def _demo(args: argparse.Namespace) -> None:
    from evalib.demonstration import demo

    n_scenarios, trials, fidelity = (2, 1, "text") if args.quick else (6, 3, "audio")
    made = demo(
        args.out,
        n_scenarios=n_scenarios if args.scenarios is None else args.scenarios,
        trials=trials if args.trials is None else args.trials,
        fidelity=fidelity,
        jobs=args.jobs,
        seed=args.seed,
    )
    print(made)
    print(f"\nRecordings and everything else of each call: {args.out}/trials")
    notebook = Path("notebooks/00_quickstart.ipynb")
    if notebook.exists():
        print(f"The same in a notebook: {notebook}")


def _simulate(args: argparse.Namespace) -> None:
    import evalib
    from evalib.demonstration import process_pool
    from evalib.experiments.calls import SpeechConfig

    scenarios = evalib.load_scenarios(args.data, domain=args.domain, ids=args.ids, language=args.language)
    out = args.out or Path("results") / f"{args.domain or 'all'}-{args.fidelity}"
    with process_pool(args.jobs) as executor:
        run = evalib.simulate(
            scenarios,
            agent=args.agent,
            trials=args.trials,
            seed=args.seed,
            fidelity=args.fidelity,
            out=out,
            executor=executor,
            speech=SpeechConfig(stt=args.stt, vad=args.vad),
        )
    scores = evalib.score(run, metrics=["task_completion"], save=False)
    print(f"{len(run)} calls in {out}")
    for system, part in scores.groupby("system", observed=True):
        ok = part[part["status"] == "ok"]
        print(
            f"{system}: {int(ok['value'].sum())} of {len(ok)} calls completed their task; "
            f"{len(part) - len(ok)} not scored"
        )
    print(f"Next: evalib report {out}")


def _score(args: argparse.Namespace) -> None:
    import evalib

    run = evalib.load_run(args.folder)
    scores = evalib.score(run, metrics=args.metrics or "default", progress=True)
    counts = scores["status"].value_counts()
    print(f"{len(scores)} scores of {len(run)} calls in {args.folder}/scores.parquet")
    print(", ".join(f"{n} {status}" for status, n in counts.items()))


def _report(args: argparse.Namespace) -> None:
    import evalib
    from evalib.reporting import report

    run = evalib.load_run(args.folder)
    scores = run.scores if _scored(run) else evalib.score(run)
    print(report(run, scores, args.out or args.folder / "figures"))


def _scored(run: Run) -> bool:
    """Whether every call has a score, or the reason why not, of every metric."""
    import warnings

    from evalib.metrics import METRICS

    if not run.scored:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # calls without scores are what is asked here
        calls = run.scores.drop_duplicates([*KEY_COLUMNS, "metric"])["metric"].value_counts()
    return all(calls.get(metric, 0) == len(run) for metric in METRICS)


def _scenarios(args: argparse.Namespace) -> None:
    import evalib

    scenarios = evalib.load_scenarios(args.data, domain=args.domain)
    if args.replay:
        return _replay(scenarios)
    for s in scenarios:
        mark = "adversarial  " if s.adversarial else ""
        print(f"{s.domain:11s} {s.id:8s} {mark}{s.goal.get('high_level_user_goal', '')}")
    print(
        f"{len(scenarios)} scenarios"
        + (" (synthetic, built in)" if args.data == "builtin" else f" in {args.data}")
    )


def _replay(scenarios: list) -> None:
    from evalib.domains import replay

    good = 0
    for s in scenarios:
        result = replay(s)
        good += result.ok
        print(
            f"{s.domain:11s} {s.id:8s} state {'ok' if result.hash_ok else 'DIFFERS'}, session "
            f"{'ok' if result.session_ok else 'DIFFERS'}"
        )
    print(f"{good} of {len(scenarios)} scenarios reach their expected state and session")
    if good < len(scenarios):
        raise ConfigError(f"{len(scenarios) - good} scenarios do not replay: see the list")


def _bench(args: argparse.Namespace) -> None:
    from evalib.experiments.bench import bench
    from evalib.experiments.bench_statistics import bench_statistics

    for line in bench(args.seconds) if args.what == "calls" else bench_statistics():
        print(line, flush=True)


def _versions(args: argparse.Namespace) -> None:
    import json

    import evalib

    print(json.dumps(evalib.versions(), indent=2))
