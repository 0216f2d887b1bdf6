"""The masked CRC-32C of TFRecord files (TensorFlow's record_writer; MindSpore's summary writer does the same)."""

from __future__ import annotations

from google_crc32c import value as crc32c

MASK_DELTA = 0xA282EAD8


def masked_crc(data: bytes) -> int:
    """CRC-32C rotated right by 15 bits plus a constant, as TFRecord stores it."""
    crc: int = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + MASK_DELTA) & 0xFFFFFFFF
