"""The mean of two models of one shape, of floats, int8 or 4 bits: (1 - SHARE) of the first one's weights, SHARE of the second one's.

    python3 mix.py FIRST SECOND SHARE FOLDER

A model that was trained on for a short time with other data is worse on the old data. The mean of its weights and those
from before can be better than both, on old and new data (Wortsman et al. 2022, https://arxiv.org/abs/2109.01903).
A SHARE of 0 makes floats of the first model, so that `qkv train` can begin from it.
"""
import json
import pathlib
import struct
import sys

import numpy as np

DTYPES = {"F16": np.float16, "F32": np.float32, "I8": np.int8, "U8": np.uint8}


def unpack_int4(rows):
    """The int8 values, [outputs, inputs], of 4-bit groups, [outputs, inputs / 32 * 17] (web/docs/int4.md)."""
    groups = rows.reshape(len(rows), -1, 17).astype(np.int32)
    m, pairs = groups[..., :1], groups[..., 1:]
    q = np.concatenate([pairs % 16, pairs // 16], -1)
    q = np.where(q > 7, q - 16, q)
    return np.clip((q * m + 4) >> 3, -127, 127).reshape(len(rows), -1)


def read(folder):
    """{name: float32 array} of model.safetensors. A row of a matrix in int8 or 4 bits is multiplied by its scale."""
    raw = (pathlib.Path(folder) / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8 : 8 + length]), raw[8 + length :]
    header.pop("__metadata__", None)
    stored = lambda e: np.frombuffer(data[slice(*e["data_offsets"])], DTYPES[e["dtype"]]).reshape(e["shape"])
    values = lambda e: unpack_int4(stored(e)) if e["dtype"] == "U8" else stored(e)
    tensors = {name: values(entry).astype(np.float32) for name, entry in header.items()}
    scales = {name: tensors.pop(f"{name}_scale") for name, entry in header.items() if entry["dtype"] in ("I8", "U8")}
    return tensors | {name: tensors[name] * scale.reshape(-1, 1) for name, scale in scales.items()}


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def save(like, tensors, folder):
    """Writes a model folder with these weights. All other files are those of the folder `like`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "generation_config.json", "vocab.json", "source.spm"):
        (folder / name).write_bytes((pathlib.Path(like) / name).read_bytes())
    write(folder / "model.safetensors", tensors)


def main():
    first, second, share, out = read(sys.argv[1]), read(sys.argv[2]), np.float32(sys.argv[3]), pathlib.Path(sys.argv[4])
    mixed = {name: first[name] * (1 - share) + second[name].reshape(first[name].shape) * share for name in first}
    save(sys.argv[1], mixed, out)


if __name__ == "__main__":
    main()
