import { writeVarint } from './varint.ts'

export class ByteWriter {
  readonly #bytes: Buffer
  #at = 0

  constructor(maxBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(maxBytes)
  }

  put(...bytes: number[]): this {
    for (const byte of bytes) this.#bytes[this.#at++] = byte
    return this
  }

  putAll(bytes: Buffer): this {
    this.#at += bytes.copy(this.#bytes, this.#at)
    return this
  }

  putVarint(value: number): this {
    this.#at = writeVarint(this.#bytes, this.#at, value)
    return this
  }

  written(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }
}
