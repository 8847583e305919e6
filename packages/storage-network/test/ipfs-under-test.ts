import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startKubo, type TestKubo } from '@tideport/testing/kubo'
import { openIpfsNetwork } from '../src/ipfs/ipfs-network.ts'
import type { IpfsSettings } from '../src/ipfs/settings.ts'
import { setUpStorageNetwork } from '../src/set-up-network.ts'
import type { CopyName } from '../src/storage-network.ts'
import { digestOf, parseCid, RAW } from '../src/unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../src/unixfs/dag-builder.ts'
import { decodeFileNode } from '../src/unixfs/file-node.ts'
import type { NetworkUnderTest } from './networks-under-test.ts'

const nobody = { installationId: async () => 'test-installation' }
const { leafBytes } = UNIXFS_V1_2025
const DIRECTORY = '/tideport'

export const configOf = (kubo: Pick<TestKubo, 'url' | 'token'>, different: Partial<IpfsSettings> = {}) => ({
  ...{ name: 'node-a', driver: 'ipfs' as const, urls: [kubo.url] as [string] },
  ...{ token: kubo.token, directory: DIRECTORY, collectionSeconds: 60, ...different },
})

/** A private Kubo and a network on it. Tests damage its blocks on disk. */
export async function openIpfs(): Promise<NetworkUnderTest & { kubo: TestKubo }> {
  const kubo = await startKubo()
  const config = configOf(kubo)
  await setUpStorageNetwork(config, { ...nobody, remembered: [], acceptLostCopies: false })
  const open = () => openIpfsNetwork({ ...config, ...nobody })
  return {
    ...{ kubo, network: open(), config, open },
    contentOf: async (copy) =>
      Buffer.concat(await Promise.all((await leavesOf(kubo, copy)).map((leaf) => readFile(leaf)))),
    async replaceContent(copy, bytes) {
      for (const [index, leaf] of (await leavesOf(kubo, copy)).entries()) {
        await writeFile(leaf, bytes.subarray(index * leafBytes, (index + 1) * leafBytes))
      }
    },
    treeOf: (copy) => readFile(blockFile(kubo, parseCid(copy.blobId) as Buffer)),
    async replaceTree(copy, bytes) {
      if (bytes) await writeFile(blockFile(kubo, parseCid(copy.blobId) as Buffer), bytes)
      else await kubo.call('block/rm', { arg: copy.blobId, force: 'true' })
    },
    async loseStaged() {
      const { Entries } = JSON.parse(await kubo.call('files/ls', { arg: `${DIRECTORY}/staging` }))
      for (const { Name } of Entries ?? []) await kubo.call('files/rm', { arg: `${DIRECTORY}/staging/${Name}` })
    },
    [Symbol.asyncDispose]: () => kubo[Symbol.asyncDispose](),
  }
}

/** The files of the leaves of a small blob, in order. */
async function leavesOf(kubo: TestKubo, { blobId }: CopyName): Promise<string[]> {
  const cid = parseCid(blobId) as Buffer
  if (cid[1] === RAW) return [blockFile(kubo, cid)]
  const node = decodeFileNode(await readFile(blockFile(kubo, cid)))
  return node?.links.map((link) => blockFile(kubo, link.cid)) ?? []
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Kubo's flatfs: one file per block, named by its multihash in base32, in a directory named by two of its last
 * characters.
 */
export function blockFile({ repo }: Pick<TestKubo, 'repo'>, cid: Buffer): string {
  const bits = [...Buffer.concat([Buffer.of(0x12, 0x20), digestOf(cid)])].map((byte) =>
    byte.toString(2).padStart(8, '0'),
  )
  const groups = bits.join('').match(/.{1,5}/g) ?? []
  const key = groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
  return join(repo, 'blocks', key.slice(-3, -1), `${key}.data`)
}
