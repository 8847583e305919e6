import { createHash, hash } from 'node:crypto'
import { DagBuilder, UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { inBackground } from './in-background.ts'
import { encodeSection } from './sidecar.ts'
import type { StagedFile } from './staging.ts'

const { leafBytes, maxLinks } = UNIXFS_V1_2025
const SYNC_EVERY_BYTES = 32 * leafBytes

export interface WrittenContent {
  rootCid: Buffer
  sha256: string
  sizeBytes: number
  sidecar: Buffer
}

/** What is taken first for a file of unknown size. */
const UNKNOWN_BYTES = 64 * 1024

/**
 * Writes a stream of bytes to a file leaf by leaf while hashing it. Two leaf buffers: one is written by the thread pool
 * while the other is hashed and filled. A small file takes no more memory than it has bytes.
 */
export class LeafWriter {
  readonly #file: StagedFile
  readonly #whole = createHash('sha256')
  readonly #sections: Buffer[] = []
  readonly #dag = new DagBuilder(maxLinks, (cid, block) => this.#sections.push(encodeSection(cid, block)))
  #filling: Buffer
  #spare: Buffer | null = null
  #filled = 0
  #sizeBytes = 0
  #writing: Promise<void> = Promise.resolve()
  #syncing: Promise<void> = Promise.resolve()

  /** `expectedBytes`: no promise, 0 when unknown. */
  constructor(file: StagedFile, expectedBytes: number) {
    this.#file = file
    this.#filling = Buffer.allocUnsafeSlow(Math.min(leafBytes, expectedBytes || UNKNOWN_BYTES))
  }

  /** The chunk may be reused once this has resolved. */
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

  /** Resolves when all bytes are written and synced. */
  async finish(): Promise<WrittenContent> {
    if (this.#filled > 0 || this.#sizeBytes === 0) await this.#takeLeaf()
    await this.#writing
    await this.#syncing
    await this.#file.sync()
    const rootCid = this.#dag.finish()
    const sidecar = Buffer.concat(this.#sections)
    return { rootCid, sha256: this.#whole.digest('hex'), sizeBytes: this.#sizeBytes, sidecar }
  }

  async #endLeaf(): Promise<void> {
    await this.#takeLeaf()
    ;[this.#filling, this.#spare] = [this.#spare ?? Buffer.allocUnsafeSlow(leafBytes), this.#filling]
  }

  async #takeLeaf(): Promise<void> {
    await this.#writing
    if (this.#sizeBytes > 0 && this.#sizeBytes % SYNC_EVERY_BYTES === 0) await this.#startSync()
    const leaf = this.#filling.subarray(0, this.#filled)
    this.#writing = inBackground(this.#file.write(leaf))
    this.#whole.update(leaf)
    this.#dag.addLeaf(hash('sha256', leaf, 'buffer'), leaf.length)
    this.#sizeBytes += leaf.length
    this.#filled = 0
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(leafBytes)
    this.#filling.copy(larger)
    this.#filling = larger
  }

  // The disk works while bytes still arrive, and never owes more than two stretches: one sync of gigabytes at the end
  // would hold up everybody else on the disk.
  async #startSync(): Promise<void> {
    await this.#syncing
    this.#syncing = inBackground(this.#file.syncData())
  }
}
