"""A review in the browser: questions, answers on the disk, fits in the background, a certificate."""
