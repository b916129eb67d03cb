"""What is right stays so where `aesara.tensor.nnet` is imported, which adds rewrites to Aesara."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ("tests/fuzz/test_found.py", "tests/fuzz/test_once_wrong.py", "tests/stability")
SCRIPT = """
import sys
import pytest
class Importing:
    def pytest_collection_finish(self):
        import aesara.tensor.nnet
sys.exit(pytest.main(["-q", "-n", "0", "-m", "not slow", *sys.argv[1:]], plugins=[Importing()]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_it_stays_right_with_more_rewrites(file: str) -> None:
    command = [sys.executable, "-c", SCRIPT, file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
