import { createCipheriv, hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { UNIXFS_V1_2025 } from '../../src/unixfs/dag-builder.ts'
import { blobIdOfLeaves, buildTree } from '../build-tree.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

/** Leaves of Kubo's deterministic bytes: the ChaCha20 key stream with the SHA-256 of the seed as its key. */
function* seededLeaves(sizeBytes: number, seed: string): Generator<{ digest: Buffer; sizeBytes: number }> {
  const cipher = createCipheriv('chacha20', hash('sha256', seed, 'buffer'), Buffer.alloc(16))
  const zeros = Buffer.alloc(MIB)
  for (let left = sizeBytes; left > 0; left -= MIB) {
    const leaf = cipher.update(zeros.subarray(0, Math.min(left, MIB)))
    yield { digest: hash('sha256', leaf, 'buffer'), sizeBytes: leaf.length }
  }
}

/** All full leaves of a file of zeros have the same digest, so even 5 GiB take no time. */
function blobIdOfZeros(sizeBytes: number): string {
  const zeros = Buffer.alloc(MIB)
  const full = hash('sha256', zeros, 'buffer')
  const rest = sizeBytes % MIB
  const leaves = Array.from({ length: Math.floor(sizeBytes / MIB) }, () => ({ digest: full, sizeBytes: MIB }))
  const last = { digest: hash('sha256', zeros.subarray(0, rest), 'buffer'), sizeBytes: rest }
  return blobIdOfLeaves(rest > 0 || sizeBytes === 0 ? [...leaves, last] : leaves)
}

// The file vectors of IPIP-499's profile unixfs-v1-2025, from test/cli/cid_profiles_test.go in ipfs/kubo: a file of
// this many full leaves, and the same file with one more byte.
const PUBLISHED: [leaves: number, seed: string, full: string, oneMore: string][] = [
  [
    1,
    'chunk-v1-seed',
    'bafkreiacndfy443ter6qr2tmbbdhadvxxheowwf75s6zehscklu6ezxmta',
    'bafybeigmix7t42i6jacydtquhet7srwvgpizfg7gjbq7627d35mjomtu64',
  ],
  [
    1024,
    'v1-2025-seed',
    'bafybeihmf37wcuvtx4hpu7he5zl5qaf2ineo2lqlfrapokkm5zzw7zyhvm',
    'bafybeibdsi225ugbkmpbdohnxioyab6jsqrmkts3twhpvfnzp77xtzpyhe',
  ],
]

// What Kubo 0.43.0 with this profile returned for `ipfs add --only-hash` of files of zeros.
const ZEROS: [sizeBytes: number, blobId: string][] = [
  [0, 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'],
  [1, 'bafkreidogqfzz75tpkmjzjke425xqcrmpcib2p5tg44hnbirumdbpl5adu'],
  [MIB + 1, 'bafybeihd4yzq7n5umhjngdum4r6k2to7egxfkf2jz6thvwzf6djus22cmq'],
  [GIB + 1, 'bafybeigx4uyebjbq65346xh6cjrt6yshbdudzudhnqecwbzvymslxj7gje'],
  [2 * GIB, 'bafybeieyiwtflptdh35ga5rvsber2dzcbc7cikzfdwjmndjifuq42d6yhe'],
  [2 * GIB + 1, 'bafybeifihcskhp6yse7pen24nfe2bxa7a6tb55cqbqknxb6wwonp6nlyjy'],
  [3 * GIB + 5, 'bafybeieeruhrxenn6xx7vrl22bcjbpqcv5sqululozwuz6f5piy6snrzuu'],
  [4 * GIB, 'bafybeidtxqruzlcsoiwzdbhebsfnif67v3r2r73etp6cvchma4xftr7izu'],
  [5 * GIB + 7, 'bafybeifyojh23remle5xl642ynkx6xnasntam4eeedzowqxb6d5zhthvre'],
]

describe('blob IDs equal those of Kubo with the profile unixfs-v1-2025', () => {
  it('published: hello world', () => {
    const { blobId } = buildTree(Buffer.from('hello world'), UNIXFS_V1_2025)
    expect(blobId).toBe('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
  })

  for (const [leaves, seed, full, oneMore] of PUBLISHED) {
    it(`published: ${leaves} MiB of ${seed}, and one more byte`, () => {
      const all = [...seededLeaves(leaves * MIB + 1, seed)]
      expect(blobIdOfLeaves(all.slice(0, leaves))).toBe(full)
      expect(blobIdOfLeaves(all)).toBe(oneMore)
    })
  }

  for (const [sizeBytes, blobId] of ZEROS) {
    it(`Kubo 0.43.0: ${sizeBytes} zeros`, () => expect(blobIdOfZeros(sizeBytes)).toBe(blobId))
  }
})
