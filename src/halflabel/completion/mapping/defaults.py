"""The choices of a map and their defaults. The command line shows them before it imports anything else."""

#: The names of the methods that draw.
METHOD_NAMES = ("tsne", "ssdrmc", "mddm", "pca")

#: Total variance of the labels' log odds, in units of that of the features.
LABEL_WEIGHT = 1.0

#: Maximum number of items that are laid out; further items are placed by their neighbours.
MAX_LANDMARKS = 20_000

#: The same for the report, which draws as many points at most.
MAX_OF_REPORT = 2000
