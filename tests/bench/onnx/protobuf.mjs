// Protocol Buffers' wire format, as far as ONNX needs it: writing only.

const kVarint = 0;
const kBytes = 2;
const kFloat = 5;

/** A message being written, field by field. */
export class Message {
  /** @type {Uint8Array[]} */
  #parts = [];
  #length = 0;

  /** @param {number} field @param {number | bigint} value negative ones in two's complement of 64 bits */
  int(field, value) {
    return this.#tag(field, kVarint).#varint(value);
  }

  /** @param {number} field @param {number} value */
  float(field, value) {
    return this.#tag(field, kFloat).#append(new Uint8Array(Float32Array.of(value).buffer));
  }

  /** @param {number} field @param {Uint8Array | ArrayBufferView} value */
  bytes(field, value) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return this.#tag(field, kBytes).#varint(bytes.length).#append(bytes);
  }

  /** @param {number} field @param {string} value */
  string(field, value) {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** @param {number} field @param {Message} value */
  message(field, value) {
    this.#tag(field, kBytes).#varint(value.#length);
    for (const part of value.#parts) this.#append(part);
    return this;
  }

  finish() {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  #tag(field, type) {
    return this.#varint((field << 3) | type);
  }

  #varint(value) {
    const bytes = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    return this.#append(Uint8Array.of(...bytes, Number(rest)));
  }

  #append(bytes) {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return this;
  }
}
