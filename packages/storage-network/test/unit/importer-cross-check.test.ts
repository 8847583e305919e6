import { randomBytes, randomInt } from 'node:crypto'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { describe, expect, it } from 'vitest'
import { type DagShape, UNIXFS_V1_2025 } from '../../src/unixfs/dag-builder.ts'
import { buildTree } from '../build-tree.ts'

type Importing = Parameters<typeof importer>
type Blockstore = Importing[1]

/** The same as `buildTree`, by the independent implementation of the IPFS project. */
async function importTree(bytes: Buffer, options: Importing[2]): Promise<ReturnType<typeof buildTree>> {
  const nodes = new Map<string, Buffer>()
  const blockstore: Blockstore = {
    put: async (cid, block) => {
      if (cid.code === 0x70 && block instanceof Uint8Array) nodes.set(cid.toString(), Buffer.from(block))
      return cid
    },
  } as Blockstore
  const source = [{ content: [bytes] }]
  for await (const { cid } of importer(source, blockstore, { ...options, profile: 'unixfs-v1-2025' })) {
    return { blobId: cid.toString(), nodes }
  }
  throw new Error('the importer gave nothing')
}

async function expectSameTree(bytes: Buffer, shape: DagShape): Promise<void> {
  const theirs = await importTree(bytes, {
    chunker: fixedSize({ chunkSize: shape.leafBytes }),
    layout: balanced({ maxChildrenPerNode: shape.maxLinks }),
  })
  const ours = buildTree(bytes, shape)
  expect(ours.blobId, `${bytes.length} bytes, ${JSON.stringify(shape)}`).toBe(theirs.blobId)
  expect([...ours.nodes.keys()].sort()).toEqual([...theirs.nodes.keys()].sort())
}

describe('the tree equals that of ipfs-unixfs-importer', () => {
  it('in the profile itself, around every leaf boundary up to 3 MiB', async () => {
    const MIB = UNIXFS_V1_2025.leafBytes
    for (const size of [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB - 1, 3 * MIB + 7]) {
      const bytes = randomBytes(size)
      const theirs = await importTree(bytes, {})
      expect(buildTree(bytes, UNIXFS_V1_2025), `${size} bytes`).toEqual(theirs)
    }
  })

  it('for every number of leaves from 0 to 100 in narrow trees, up to seven levels', async () => {
    for (const maxLinks of [2, 3, 4, 7]) {
      for (let leaves = 0; leaves <= 100; leaves++) {
        await expectSameTree(randomBytes(leaves * 4), { leafBytes: 4, maxLinks })
      }
    }
  })

  it('for random sizes, leaves, and widths', async () => {
    for (let round = 0; round < 100; round++) {
      const shape = { leafBytes: randomInt(1, 300), maxLinks: randomInt(2, 12) }
      await expectSameTree(randomBytes(randomInt(0, 20_000)), shape)
    }
  })
})
