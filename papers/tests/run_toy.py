"""Run the toy paper in a process of its own, so that a test can kill it."""

import sys
from pathlib import Path

from halflabel_papers.run import prepare
from halflabel_papers.store import Store

if __name__ == "__main__":
    prepare(sys.argv[1], "full").run(Store(Path(sys.argv[2]) / "records.jsonl"), n_jobs=1)
