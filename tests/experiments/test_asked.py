"""What is asked for is checked before anything is simulated or written."""

import pytest

import evalib
from evalib.core import ConfigError


@pytest.mark.parametrize("domain", ["itsm", "medical_hr"])
def test_a_domain_without_words_is_refused_before_anything_is_written(published, tmp_path, domain):
    scenarios = evalib.load_scenarios(published, domain=domain)
    with pytest.raises(ConfigError, match=f"no words for {domain}"):
        evalib.simulate(scenarios, out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()
