import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { DagBuilder } from '../../src/unixfs/dag-builder.ts'
import { dagSize } from '../../src/unixfs/dag-size.ts'
import { encodeSection } from '../../src/verified/sidecar.ts'

/** Computed by building the tree. */
function built(sizeBytes: number, shape: { leafBytes: number; maxLinks: number }) {
  const size = { blockBytes: 0, sidecarBytes: 0 }
  const dag = new DagBuilder(shape.maxLinks, (cid, block) => {
    size.blockBytes += block.length
    size.sidecarBytes += encodeSection(cid, block).length
  })
  const digest = hash('sha256', 'a leaf', 'buffer')
  for (let at = 0; at === 0 || at < sizeBytes; at += shape.leafBytes) {
    dag.addLeaf(digest, Math.min(shape.leafBytes, sizeBytes - at))
  }
  dag.finish()
  return size
}

it("computes the exact size of a file's tree at the edges of each level", () => {
  const small = { leafBytes: 1000, maxLinks: 3 }
  for (let leaves = 0; leaves <= 100; leaves += 1) {
    for (const size of [leaves * 1000, leaves * 1000 + 1, leaves * 1000 + 999]) {
      expect(dagSize(size, small), `${size} bytes`).toEqual(built(size, small))
    }
  }
})

it('computes it for large files in the shape that networks use', () => {
  const [MiB, shape] = [1024 ** 2, { leafBytes: 1024 ** 2, maxLinks: 1024 }]
  for (const size of [0, 1, MiB, MiB + 1, 1024 * MiB, 1024 * MiB + 1, 1025 * MiB, 5 * 1024 * MiB, 20_000 * MiB + 7]) {
    expect(dagSize(size), `${size} bytes`).toEqual(built(size, shape))
  }
  expect(dagSize(1024 ** 4).sidecarBytes).toBeLessThan(60 * MiB)
})
