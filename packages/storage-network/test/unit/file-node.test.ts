import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CID_BYTES } from '../../src/unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../../src/unixfs/dag-builder.ts'
import { decodeFileNode } from '../../src/unixfs/file-node.ts'
import { buildTree } from '../build-tree.ts'
import { dataFirst } from '../data-first.ts'

const MIB = 1024 * 1024
const { blobId, nodes } = buildTree(randomBytes(2 * MIB + 5), UNIXFS_V1_2025)
const block = nodes.get(blobId) as Buffer
/** UnixFS data of a directory, of a file with bytes of its own, and of a file without links that claims one byte. */
const others = ['0a020801', '0a0a08021204626f64791804', '0a0408021801']

describe('a dag-pb file node', () => {
  it('is decoded with its data after its links or before them', () => {
    const node = decodeFileNode(block)
    expect(node?.contentBytes).toBe(2 * MIB + 5)
    expect(node?.links.map(({ contentBytes }) => contentBytes)).toEqual([MIB, MIB, 5])
    expect(node?.links.every(({ cid }) => cid.length === CID_BYTES)).toBe(true)
    expect(dataFirst(block).equals(block)).toBe(false)
    expect(decodeFileNode(dataFirst(block))).toEqual(node)
  })

  it('is null for a directory, own bytes, wrong sizes, and noise', () => {
    for (const other of others) expect(decodeFileNode(Buffer.from(other, 'hex')), other).toBeNull()
    for (let length = 0; length < block.length; length++) expect(decodeFileNode(block.subarray(0, length))).toBeNull()
    expect(decodeFileNode(randomBytes(200))).toBeNull()
  })
})
