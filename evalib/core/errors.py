"""The error tree: every error evalib raises on purpose is an :class:`EvalibError`.

A message says what was wrong, where, and what to do about it, on one line, so that the command
line can print it as it is and leave with exit code 2.
"""


class EvalibError(Exception):
    """Base of every error evalib raises on purpose."""


class ScenarioError(EvalibError):
    """A scenario is missing, unreadable or does not hold what a scenario must hold."""


class DataFormatError(EvalibError):
    """A file (JSON, parquet, event log) does not have the format its name promises."""


class AudioFormatError(DataFormatError):
    """A sound file cannot be used: not PCM or mu-law, holds NaN, has no samples, ..."""


class ConfigError(EvalibError):
    """An argument or a configuration value is not one that evalib knows."""


class MissingExtraError(EvalibError):
    """An optional package is needed; the message names the extra that brings it."""


class StoreError(EvalibError):
    """A run folder cannot be written, read or resumed."""


class SimulationError(EvalibError):
    """A call could not be simulated for a reason that is not the agent's doing."""


def require(module: str, extra: str):
    """Import `module`, or say which extra of evalib brings it.

    Parameters
    ----------
    module : str
        Dotted name of the module to import.
    extra : str
        The extra of ``pyproject.toml`` that installs it, e.g. ``"sim"``.

    Raises
    ------
    MissingExtraError
        When the module is not installed.
    """
    import importlib

    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as exc:
        if exc.name and module.split(".")[0] != exc.name.split(".")[0]:
            raise
        raise MissingExtraError(
            f"{module} is not installed: install it with `pip install 'evalib[{extra}]'`"
        ) from exc
