"""napkinXC and PECOS with their defaults, for ``many_labels.py``: matrices in a folder in, ranked labels out."""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse


def rank_napkinxc(train, tags, test, k, folder):
    """Fit a probabilistic label tree."""
    from napkinxc.models import PLT

    model = PLT(str(folder / "plt"), threads=1, verbose=0)
    model.fit(train, [tags.indices[a:b].tolist() for a, b in zip(tags.indptr[:-1], tags.indptr[1:], strict=True)])
    return [(row + [0] * k)[:k] for row in model.predict(test, top_k=k)]


def rank_pecos(train, tags, test, k, folder):
    """Fit XR-Linear on clusters of labels, which are made of their items."""
    from pecos.xmc import Indexer, LabelEmbeddingFactory
    from pecos.xmc.xlinear.model import XLinearModel

    clusters = Indexer.gen(LabelEmbeddingFactory.create(tags, train))
    p = XLinearModel.train(train, tags, C=clusters, threads=1).predict(test, only_topk=k, threads=1)
    return np.argsort(-p.toarray(), axis=1, kind="stable")[:, :k]


if __name__ == "__main__":
    method, folder, k = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    train, tags, test = (
        sparse.load_npz(folder / f"{name}.npz").astype(np.float32) for name in ("train", "tags", "test")
    )
    for each in (train, tags, test):
        each.sort_indices()
    before = time.process_time()
    top = (rank_napkinxc if method == "napkinxc" else rank_pecos)(train, tags, test, k, folder)
    used = {
        "CPU s": time.process_time() - before,
        "peak GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }
    np.save(folder / "top.npy", np.asarray(top))
    (folder / "used.json").write_text(json.dumps(used))
