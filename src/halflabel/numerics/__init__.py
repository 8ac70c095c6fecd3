"""Arrays in, arrays out: graphs, kernels, losses, penalties and solvers, without labels."""
