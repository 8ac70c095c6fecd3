"""What free_memory reads, on files that stand for those of the system, and what a fit is predicted to take."""

from __future__ import annotations

import json
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest

from halflabel._memory import free_memory


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_bound_of_the_memory_of_a_fit_is_above_its_peak_and_at_most_three_times_as_large():
    script = Path(__file__).parents[1] / "benchmarks" / "memory.py"
    command = [sys.executable, script, "--here", "--shapes", "test", "--efforts", "fast"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    bound, measured = json.loads(output)
    assert measured <= bound <= 3 * measured


class TestWhatIsFree:
    @pytest.fixture
    def system(self, tmp_path, monkeypatch):
        """Return a function that writes the files that Linux offers."""
        monkeypatch.setattr("halflabel._memory.PROC", tmp_path / "proc")
        monkeypatch.setattr("halflabel._memory.GROUPS", tmp_path / "groups")

        def write(**files):
            for name, content in files.items():
                path = tmp_path / name.replace("__", "/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)

        write(proc__meminfo="MemTotal: 9000 kB\nMemAvailable:    4000 kB\n")
        return write

    def test_what_is_available(self, system):
        assert free_memory() == 4000 * 1024

    def test_a_container_has_less(self, system):
        system(proc__self__cgroup="0::/job/own\n")
        group = {"memory.max": "3000000", "memory.current": "1000000", "memory.stat": "anon 5\ninactive_file 200000\n"}
        system(**{f"groups__job__{name}": content for name, content in group.items()})
        system(**{"groups__job__own__memory.max": "max\n", "groups__job__own__memory.current": "900000"})
        assert free_memory() == 2_200_000  # by the limit of the group around it, and files can be dropped

    def test_a_container_that_sees_the_path_of_its_host(self, system):
        system(proc__self__cgroup="0::/docker/abc\n")
        system(
            **{"groups__memory.max": "100", "groups__memory.current": "150", "groups__memory.stat": "inactive_file 20"}
        )
        assert free_memory() == 0

    def test_control_groups_of_version_1(self, system):
        system(proc__self__cgroup="9:name=systemd:/\n4:cpu,memory:/job\n0::/\n")
        names = {"limit_in_bytes": "2000000", "usage_in_bytes": "500000", "stat": "total_inactive_file 0"}
        system(**{f"groups__memory__job__memory.{name}": content for name, content in names.items()})
        assert free_memory() == 1_500_000

    def test_elsewhere_what_is_installed(self, system, monkeypatch):
        system(proc__meminfo="nothing\n")
        monkeypatch.setattr("os.sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else 1000)
        assert free_memory() == 4_096_000

    def test_a_system_without_figures(self, system, monkeypatch):
        def fail(name):
            raise ValueError("unrecognized configuration name")

        system(proc__meminfo="")
        monkeypatch.setattr("os.sysconf", fail)
        assert free_memory() == inf

    def test_an_address_space_with_a_limit(self, system, monkeypatch):
        resource = pytest.importorskip("resource")
        system(proc__self__statm="10 5 1 1 0 5 0\n")
        monkeypatch.setattr(resource, "getrlimit", lambda kind: (100_000_000, resource.RLIM_INFINITY))
        monkeypatch.setattr("os.sysconf", lambda name: 4096)
        assert free_memory() == 4000 * 1024
        system(proc__self__statm="24000 5 1 1 0 5 0\n")
        assert free_memory() == 100_000_000 - 24000 * 4096
