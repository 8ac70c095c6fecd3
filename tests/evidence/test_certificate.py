import numpy as np
import pytest

from halflabel.evidence.certificate import pack_mask, unpack_mask


@pytest.mark.parametrize("size", [1, 7, 8, 9, 100])
def test_a_mask_comes_back_and_no_other_size_is_accepted(size):
    mask = np.arange(size) % 3 == 0
    text = pack_mask(mask)
    np.testing.assert_array_equal(unpack_mask(text, size), mask)
    others = {1, 8, 9, 16, 64, 72, 200, 1000}
    for other in (n for n in others if -(-n // 8) != -(-size // 8)):
        with pytest.raises(ValueError, match="not of the size of the table"):
            unpack_mask(text, other)


@pytest.mark.parametrize("text", ["", "no base64", "AAAA"])
def test_damaged_bits_are_named(text):
    with pytest.raises(ValueError, match=r"its bits are (damaged|not of the size)"):
        unpack_mask(text, 8)
