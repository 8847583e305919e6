import { createHash, hash } from 'node:crypto'
import { DagBuilder, UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { encodeSection } from './sidecar.ts'

export interface ContentFacts {
  rootCid: Buffer
  sha256: string
  sizeBytes: number
  sidecar: Buffer
}

/** Takes content leaf by leaf. All leaves but the last have `leafBytes`. An empty file is one leaf of 0 bytes. */
export class ContentDigest {
  readonly #whole = createHash('sha256')
  readonly #sections: Buffer[] = []
  readonly #dag = new DagBuilder(UNIXFS_V1_2025.maxLinks, (cid, block) =>
    this.#sections.push(encodeSection(cid, block)),
  )
  #sizeBytes = 0

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  addLeaf(leaf: Buffer): void {
    this.#whole.update(leaf)
    this.#dag.addLeaf(hash('sha256', leaf, 'buffer'), leaf.length)
    this.#sizeBytes += leaf.length
  }

  finish(): ContentFacts {
    const rootCid = this.#dag.finish()
    const sidecar = Buffer.concat(this.#sections)
    return { rootCid, sha256: this.#whole.digest('hex'), sizeBytes: this.#sizeBytes, sidecar }
  }
}
