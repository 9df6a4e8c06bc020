"""The run folder: what happened in each call, written as it happens, to be scored and drawn again."""

from evalib.store.names import safe_name
from evalib.store.run import Run, load_run
from evalib.store.trial import TrialKey, write_trial
from evalib.store.writer import RunWriter

__all__ = ["Run", "RunWriter", "TrialKey", "load_run", "safe_name", "write_trial"]
