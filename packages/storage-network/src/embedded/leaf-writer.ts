import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { ContentDigest, type ContentFacts } from '../verified/content-digest.ts'
import { inBackground } from '../verified/in-background.ts'
import type { StagedFile } from './staging.ts'

const { leafBytes } = UNIXFS_V1_2025
const SYNC_EVERY_BYTES = 32 * leafBytes

/** Initial size of the buffer for a file of unknown size. */
const UNKNOWN_BYTES = 64 * 1024

/** Writes a stream leaf by leaf and hashes it, with two buffers: one is written while the other is filled. */
export class LeafWriter {
  readonly #file: StagedFile
  readonly #digest = new ContentDigest()
  #filling: Buffer
  #spare: Buffer | null = null
  #filled = 0
  #writing: Promise<void> = Promise.resolve()
  #syncing: Promise<void> = Promise.resolve()

  /** `expectedBytes`: a hint; 0 if unknown. */
  constructor(file: StagedFile, expectedBytes: number) {
    this.#file = file
    this.#filling = Buffer.allocUnsafeSlow(Math.min(leafBytes, expectedBytes || UNKNOWN_BYTES))
  }

  /** The chunk may be reused after the promise resolves. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.length; ) {
      if (this.#filled === this.#filling.length) this.#grow()
      const piece = chunk.subarray(taken, taken + this.#filling.length - this.#filled)
      this.#filling.set(piece, this.#filled)
      this.#filled += piece.length
      taken += piece.length
      if (this.#filled === leafBytes) await this.#endLeaf()
    }
  }

  async finish(): Promise<ContentFacts> {
    if (this.#filled > 0 || this.#digest.sizeBytes === 0) await this.#takeLeaf()
    await this.#writing
    await this.#syncing
    await this.#file.sync()
    return this.#digest.finish()
  }

  async #endLeaf(): Promise<void> {
    await this.#takeLeaf()
    ;[this.#filling, this.#spare] = [this.#spare ?? Buffer.allocUnsafeSlow(leafBytes), this.#filling]
  }

  async #takeLeaf(): Promise<void> {
    await this.#writing
    const { sizeBytes } = this.#digest
    if (sizeBytes > 0 && sizeBytes % SYNC_EVERY_BYTES === 0) await this.#startSync()
    const leaf = this.#filling.subarray(0, this.#filled)
    this.#writing = inBackground(this.#file.write(leaf))
    this.#digest.addLeaf(leaf)
    this.#filled = 0
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(leafBytes)
    this.#filling.copy(larger)
    this.#filling = larger
  }

  // Syncs while bytes still arrive, so at most two intervals are unsynced. One sync of gigabytes at the end would block
  // all other users of the disk.
  async #startSync(): Promise<void> {
    await this.#syncing
    this.#syncing = inBackground(this.#file.syncData())
  }
}
