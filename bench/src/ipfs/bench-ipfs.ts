import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchKubo } from '@tideport/dev-stack/servers/launch-kubo'
import { openIpfsNetwork } from '@tideport/storage-network/ipfs/ipfs-network'
import { openKubo } from '@tideport/storage-network/ipfs/kubo'
import { setUpIpfsNetwork } from '@tideport/storage-network/ipfs/set-up'
import { compare, print, timed } from '../measure.ts'
import { importCar } from './import-car.ts'

const SIZES = { '10 KiB': 10 * 1024, '64 MiB': 64 * 1024 * 1024 }
const ROUNDS = 9
const { signal } = new AbortController()

/**
 * A copy on a Kubo of this machine, stored by `add` and by `dag/import` of a CAR of our own, and what it costs to look
 * whether all is there, and to prove it.
 */
export async function benchIpfs(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-ipfs-'))
  await using node = await launchKubo({ dataDir })
  const identity = { name: 'node', installationId: async () => 'bench' }
  const settings = { urls: [node.url] as [string], token: node.token, directory: '/tideport', collectionSeconds: 600 }
  await setUpIpfsNetwork({ ...settings, ...identity, remembered: [], acceptLostCopies: false })
  const kubo = openKubo(node.url, settings, identity)
  const network = openIpfsNetwork({ ...settings, ...identity })
  for (const [label, size] of Object.entries(SIZES)) {
    const store = async (bytes: Buffer) => {
      const reference = randomUUID()
      const staged = await network.stage(piecesOf(bytes), { reference, signal })
      await staged.commit()
      return { copy: { blobId: staged.blobId, reference, ref: {} }, facts: staged }
    }
    const { copy, facts } = await store(randomBytes(size))
    const path = `${kubo.paths.shardOf(copy.blobId)}/${copy.blobId}.${copy.reference}`
    const variants = {
      'add to a path, and a link': (bytes: Buffer) => store(bytes),
      'dag/import, and a link': (bytes: Buffer) => importCar(kubo, bytes, `/imported-${randomUUID()}`, signal),
      'of that, the look whether all is there': () => kubo.mfs.isWhole(path, size, signal),
      'a proof': () => network.prove(copy, facts, signal),
    }
    const runs = Object.entries(variants).map(([name, work]) => {
      return {
        name,
        run: () => {
          const bytes = randomBytes(size)
          return timed(() => work(bytes))
        },
      }
    })
    print(`A copy of ${label}`, 'ms', await compare(runs, ROUNDS))
  }
  await rm(dataDir, { recursive: true, force: true })
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024)
}
