"""Half-labelled tables beyond memory: folders of Parquet completed part by part, and thousands of labels."""

from halflabel_scale.folder import FolderCompletion, complete_folder
from halflabel_scale.part import complete_batches
from halflabel_scale.ranking import Ranking, rank_labels

__version__ = "0.2.0"

__all__ = ["FolderCompletion", "Ranking", "complete_batches", "complete_folder", "rank_labels"]
