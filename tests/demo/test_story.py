"""The story, as CI and people play it: exit code 0 only if every line is as it must be."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(300)
def test_the_story_ends_as_it_must(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "bot.cli", "demo", "--auto", "--folder", str(tmp_path / "demo")],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Every line is as the story says." in ended.stdout
