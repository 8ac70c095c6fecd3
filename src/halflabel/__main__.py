"""``python -m halflabel`` is the command ``halflabel``."""

from halflabel.cli import main

if __name__ == "__main__":
    main()
