"""CRC-32C of many records at once, by its linearity over GF(2).

For messages of one length ``crc(a) ^ crc(b) = crc0(a ^ b)``, where ``crc0`` starts from zero and inverts nothing, and
``crc0`` of a message with its own ``crc0`` behind it is zero. So lay the differences between intact records and one of
them that is known to be intact one behind the other, with the difference of their (unmasked) checksums where the
checksums stand: the ``crc0`` of all of it is zero.

A damaged record leaves something else, and no bytes of other records behind it bring that back to zero, because the
step from one byte to the next is invertible. Several damaged records cancel one another as seldom as a damaged record
has the right checksum by chance: once in 2**32. So a whole block is vouched for by one pass of the processor's CRC
instruction; when something is left, the block is read record by record, which tells which one it is.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from google_crc32c import extend
from google_crc32c import value as crc32c
from numpy.typing import NDArray

from collector.parse.event.crc import MASK_DELTA

Words = NDArray[np.uint32]
_ZERO = 0xFFFFFFFF  # what google-crc32c calls a register that holds zero


def unmasked(masked: Words) -> Words:
    """The CRCs that TFRecord's masking hides."""
    turned = masked - np.uint32(MASK_DELTA)
    return (turned << np.uint32(15)) | (turned >> np.uint32(17))


def leaves_nothing(difference: NDArray[np.uint8]) -> bool:
    """Whether the crc0 of all bytes is zero; ``difference`` cannot be written to afterwards."""
    difference.flags.writeable = False  # google-crc32c asks for it
    return bool(extend(_ZERO, difference) == _ZERO)


def masked_length_crc(lengths: Words) -> Words:
    """The masked CRC of each length as the u64 that stands at the beginning of a frame."""
    zero, tables = _length_tables()
    crc = np.full(lengths.shape, zero, np.uint32)
    for position, table in enumerate(tables):
        crc ^= table[(lengths >> np.uint32(8 * position)) & np.uint32(0xFF)]
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(MASK_DELTA)


@lru_cache(maxsize=1)
def _length_tables() -> tuple[np.uint32, Words]:
    """The CRC of eight zero bytes, and what each value of each of the first four bytes changes in it."""
    zero = crc32c(bytes(8))
    tables = [[crc32c(bytes([*[0] * at, byte, *[0] * (7 - at)])) ^ zero for byte in range(256)] for at in range(4)]
    return np.uint32(zero), np.array(tables, np.uint32)
