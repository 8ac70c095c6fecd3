"""A folder completed by a Dask cluster on this machine: rows per second and core, memory of the workers, a killed run.

The data are those of ``streaming.py``: 64 features in single precision, 20 labels, Parquet files of 100 000 rows. The
workers are processes with one thread. A first client is killed (SIGKILL) at a random moment of the second pass; the
second one goes on where it ended. The rate is that of the second client: rows that it completed, divided by the CPU
seconds of the workers meanwhile. The memory of a worker is its resident memory, seen after every part. With
``--compare`` the parts are completed again by one process without a kill, and both outputs are compared byte by byte.

    python benchmarks/dask_folder.py --parts 100 --efforts fast
    python benchmarks/dask_folder.py --parts 10 --labelled 5000 --compare
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _common import make_parser
from streaming import NAMES, write_folder

from halflabel._progress import report_to
from halflabel.folders.folder import complete_folder


def complete(folder, out, effort, scheduler="", pids=()):
    """Complete the folder, and print per part the time, the CPU seconds of the workers, and their memory in MB."""
    import psutil  # of Dask

    workers = [psutil.Process(pid) for pid in pids]

    def mark(stage, done, total):
        if stage == "completing parts" and workers:
            spent = sum(sum(worker.cpu_times()[:2]) for worker in workers)
            size = max(worker.memory_info().rss / 1e6 for worker in workers)
            print(json.dumps([done, time.time(), spent, size]), flush=True)

    with report_to(mark):
        options = {"labels": NAMES, "id": "id", "effort": effort, "scheduler": scheduler or None}
        complete_folder(folder / "in", out, **options)


def run(folder, out, effort, cluster, kill=None):
    """Complete the folder by a client of its own; return its marks. ``kill`` ends it after that number of parts."""
    pids = [str(worker.pid) for worker in cluster.workers.values()]
    command = [sys.executable, __file__, "--here", str(folder), str(out), effort, cluster.scheduler_address, *pids]
    marks = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        for line in client.stdout:
            marks.append(json.loads(line))
            if kill is not None and len(marks) > kill:
                time.sleep(random.random())
                client.send_signal(signal.SIGKILL)
                break
    assert kill is not None or client.returncode == 0, "the client failed"
    return marks


def digest(out):
    """Return a digest of the completed parts."""
    whole = hashlib.sha256()
    for part in sorted(out.glob("*.parquet")):
        whole.update(part.name.encode() + part.read_bytes())
    return whole.hexdigest()


def main():
    """Write the folder, complete it, and print a line per effort."""
    parser = make_parser(__doc__)
    parser.add_argument("--parts", type=int, default=100)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of a part")
    parser.add_argument("--labelled", type=int, default=15_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--efforts", nargs="+", default=["fast", "default"])
    parser.add_argument("--compare", action="store_true", help="complete the folder again without Dask and a kill")
    parser.add_argument("--here", nargs="+", help="be the client: folder, output, effort, address and pids")
    options = parser.parse_args()
    if options.here:
        folder, out, effort, scheduler, *pids = options.here
        complete(Path(folder), Path(out), effort, scheduler, [int(pid) for pid in pids])
        return
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_folder(folder, options.parts, options.rows, options.labelled)
        for effort in options.efforts:
            measure(folder, effort, options)


def measure(folder, effort, options):
    """Print the figures of one effort."""
    from distributed import LocalCluster  # extra dask

    out = folder / f"out-{effort}"
    kill = random.randrange(1, max(2, options.parts // 2))
    with LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None) as cluster:
        killed = run(folder, out, effort, cluster, kill)
        marks = run(folder, out, effort, cluster)
    first, last = marks[0], marks[-1]
    n_rows, spent = (last[0] - first[0]) * options.rows, last[2] - first[2]
    sizes = [mark[3] for mark in killed[1:] + marks[1:]]
    quarter = max(1, len(sizes) // 4)
    print(
        f"{effort}: killed after {killed[-1][0]} of {options.parts} parts; then {n_rows} rows in "
        f"{last[1] - first[1]:.0f} s by {options.workers} workers, {n_rows / spent:.0f} rows/s and core"
    )
    print(
        f"  MB of a worker, first quarter of the parts: {max(sizes[:quarter]):.0f}, last: {max(sizes[-quarter:]):.0f}"
    )
    if options.compare:
        complete(folder, folder / "alone", effort)
        print("  equal bytes without Dask and a kill:", digest(out) == digest(folder / "alone"), flush=True)


if __name__ == "__main__":
    main()
