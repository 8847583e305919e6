import { hash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseCid } from '../../src/unixfs/cid.ts'
import { DagBuilder, UNIXFS_V1_2025 } from '../../src/unixfs/dag-builder.ts'
import { encodeSection, leafDigest, sidecarBytesMax, verifySidecar } from '../../src/verified/sidecar.ts'
import { buildTree } from '../build-tree.ts'

const MIB = 1024 * 1024

function sidecarOf(bytes: Buffer): { rootCid: Buffer; sidecar: Buffer } {
  const { blobId, nodes } = buildTree(bytes, UNIXFS_V1_2025)
  const sections = [...nodes].map(([id, block]) => encodeSection(parseCid(id) ?? Buffer.alloc(0), block))
  return { rootCid: parseCid(blobId) ?? Buffer.alloc(0), sidecar: Buffer.concat(sections) }
}

describe('a sidecar', () => {
  const bytes = randomBytes(2 * MIB + 9)
  const { rootCid, sidecar } = sidecarOf(bytes)

  it('contains the digest of every leaf', () => {
    const digests = verifySidecar(rootCid, bytes.length, sidecar) ?? expect.unreachable()
    for (const [index, start] of [0, MIB, 2 * MIB].entries()) {
      expect(leafDigest(digests, index)).toEqual(hash('sha256', bytes.subarray(start, start + MIB), 'buffer'))
    }
  })

  it('is rejected with any byte changed, cut off, or added', () => {
    for (let at = 0; at < sidecar.length; at++) {
      const changed = Buffer.from(sidecar)
      changed.writeUInt8(changed.readUInt8(at) ^ 0x01, at)
      expect(verifySidecar(rootCid, bytes.length, changed), `byte ${at}`).toBeNull()
      expect(verifySidecar(rootCid, bytes.length, sidecar.subarray(0, at)), `cut at ${at}`).toBeNull()
    }
    expect(verifySidecar(rootCid, bytes.length, Buffer.concat([sidecar, Buffer.of(0)]))).toBeNull()
  })

  it('is rejected for content of any other size', () => {
    for (const size of [0, 1, MIB, bytes.length - 1, bytes.length + 1, 3 * MIB, 3 * MIB + 1]) {
      expect(verifySidecar(rootCid, size, sidecar), `${size} bytes`).toBeNull()
    }
  })

  it('is rejected for other content of the same size', () => {
    const other = sidecarOf(randomBytes(bytes.length))
    expect(verifySidecar(rootCid, bytes.length, other.sidecar)).toBeNull()
    expect(verifySidecar(other.rootCid, bytes.length, sidecar)).toBeNull()
  })

  it.each([1, 2, 1024, 1025, 2049, 200_000])(
    'of %i leaves is no longer than the most that is read of one',
    (leaves) => {
      let sidecarBytes = 0
      const dag = new DagBuilder(UNIXFS_V1_2025.maxLinks, (cid, block) => {
        sidecarBytes += encodeSection(cid, block).length
      })
      const digest = Buffer.alloc(32)
      for (let index = 0; index < leaves; index++) dag.addLeaf(digest, MIB)
      dag.finish()
      expect(sidecarBytes).toBeLessThanOrEqual(sidecarBytesMax(leaves * MIB))
    },
  )

  it('is empty for a file of one leaf, whose digest is in the blob ID', () => {
    const small = randomBytes(100)
    const single = sidecarOf(small)
    expect(single.sidecar).toHaveLength(0)
    expect(verifySidecar(single.rootCid, 100, single.sidecar)).toEqual(hash('sha256', small, 'buffer'))
    expect(verifySidecar(single.rootCid, 2 * MIB, single.sidecar)).toBeNull()
    expect(verifySidecar(single.rootCid, 100, sidecar)).toBeNull()
  })
})
