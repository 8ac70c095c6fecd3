"""Build the published page again from the published records: ``python -m halflabel_papers.benchmark``."""

from halflabel_papers.benchmark.board import read_board
from halflabel_papers.benchmark.boards import write_board
from halflabel_papers.benchmark.leaderboard import PUBLISHED, read_entries

if __name__ == "__main__":
    board = read_board()
    write_board(board, read_entries(board), PUBLISHED[0].parent)
