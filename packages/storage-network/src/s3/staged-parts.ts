import { createHash } from 'node:crypto'
import type { Bytes } from '@tideport/s3-client/s3-client'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import type { Bucket } from './bucket.ts'
import { contentKey } from './keys.ts'
import { beginUpload, type MultipartUpload, PARTS_MAX } from './multipart-upload.ts'

const LEAVES_A_PART = 8
export const PART_BYTES = LEAVES_A_PART * UNIXFS_V1_2025.leafBytes
export const MAX_BLOB_BYTES = PARTS_MAX * PART_BYTES

/** Collects leaves into parts of 8 MiB, and sends a full one before its memory is reused. Less stays in memory. */
export class StagedParts {
  readonly #begin: (signal: AbortSignal) => Promise<MultipartUpload>
  readonly #spaces: Buffer[] = []
  #leaves: Buffer[] = []
  #upload: MultipartUpload | null = null

  constructor(bucket: Bucket, reference: string, headers: Record<string, string>) {
    this.#begin = (signal) => beginUpload(bucket, contentKey(reference), headers, signal)
  }

  /** Null: all bytes are in memory. */
  get upload(): MultipartUpload | null {
    return this.#upload
  }

  space(): Buffer {
    const index = this.#leaves.length
    const space = this.#spaces[index] ?? Buffer.allocUnsafeSlow(UNIXFS_V1_2025.leafBytes)
    this.#spaces[index] = space
    return space
  }

  async add(leaf: Buffer, signal: AbortSignal): Promise<void> {
    this.#leaves.push(leaf)
    if (this.#leaves.length === LEAVES_A_PART) await this.#send(signal)
  }

  async finish(signal: AbortSignal): Promise<void> {
    if (this.#upload !== null && this.#leaves.length > 0) await this.#send(signal)
  }

  whole(): Bytes {
    return bytesOf(this.#leaves)
  }

  async discard(signal: AbortSignal): Promise<void> {
    this.#leaves = []
    await this.#upload?.abort(signal)
  }

  async #send(signal: AbortSignal): Promise<void> {
    this.#upload ??= await this.#begin(signal)
    await this.#upload.addPart(bytesOf(this.#leaves), signal)
    this.#leaves = []
  }
}

export function bytesOf(pieces: Buffer[]): Bytes {
  const digest = createHash('sha256')
  let sizeBytes = 0
  for (const piece of pieces) {
    digest.update(piece)
    sizeBytes += piece.length
  }
  return { pieces, sizeBytes, sha256: digest.digest('hex') }
}
