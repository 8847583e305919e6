import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setUpStorageNetwork } from '../src/set-up-network.ts'
import type { CopyName } from '../src/storage-network.ts'
import { openWalrusNetwork } from '../src/walrus/walrus-network.ts'
import { openAggregatorFront } from './aggregator-front.ts'
import type { NetworkUnderTest } from './networks-under-test.ts'

/** The addresses of an external Walrus, from the environment of the test. */
interface LiveWalrus {
  publisher: string
  aggregator: string
  /** Secret of the publisher's tokens; undefined: the publisher requires none. */
  jwtSecret: string | undefined
  jwtSeconds: number
  shards: number
}

/** @throws Error that names the missing variable */
export function liveWalrusOf(env: Readonly<Record<string, string | undefined>>): LiveWalrus {
  const needed = (name: string) => {
    const value = env[name]
    if (!value) throw new Error(`${name} is not set: the test needs a publisher and an aggregator of one Walrus`)
    return value
  }
  return {
    ...{ publisher: needed('WALRUS_TEST_PUBLISHER'), aggregator: needed('WALRUS_TEST_AGGREGATOR') },
    ...{ jwtSecret: env.WALRUS_TEST_JWT_SECRET || undefined, jwtSeconds: Number(env.WALRUS_TEST_JWT_SECONDS || 600) },
    shards: Number(env.WALRUS_TEST_SHARDS || 1000),
  }
}

/**
 * A network there for a new installation. Stored blobs are random, last two epochs, and cost money. Nobody can damage
 * them, so the driver reads through a front that has other bytes until the copy is stored again.
 */
export async function openLiveWalrus({ publisher, aggregator, ...more }: LiveWalrus): Promise<NetworkUnderTest> {
  const installation = `test-${randomUUID()}`
  const nobody = { installationId: async () => installation }
  const front = await openAggregatorFront(aggregator)
  const config = {
    ...{ name: 'walrus-live', driver: 'walrus' as const, ...more },
    ...{ publishers: [publisher] as [string], aggregators: [front.url] as [string] },
    ...{ epochs: 2, epochSeconds: 86_400, isPermanent: false, propagationSeconds: 60 },
    ...{ maxBlobBytes: 10 * 1024 ** 2, checkIdBytes: 16 * 1024 ** 2 },
  }
  const stored: string[] = []
  const open = () => openWalrusNetwork({ ...config, ...nobody })
  const network = open()
  const bytesOf = async (blobId = '') => {
    const signal = new AbortController().signal
    return await buffer(await network.open({ blobId }, { signal }))
  }
  const treeBlobOf = ({ ref: { treeBlob = '' } }: CopyName) => treeBlob
  try {
    await setUpStorageNetwork(config, { ...nobody, remembered: [], acceptLostCopies: false })
  } catch (error) {
    await front[Symbol.asyncDispose]()
    throw error
  }
  return {
    ...{ config, open },
    network: {
      ...network,
      async stage(...given) {
        const staged = await network.stage(...given)
        stored.push(staged.blobId)
        front.restore(staged.blobId)
        return staged
      },
    },
    contentOf: ({ blobId }) => bytesOf(blobId),
    replaceContent: async ({ blobId }, bytes) => front.replace(blobId, bytes),
    treeOf: (copy) => bytesOf(treeBlobOf(copy)),
    replaceTree: async (copy, bytes) => front.replace(treeBlobOf(copy), bytes),
    loseStaged: async () => front.replace(stored.at(-1) ?? '', null),
    [Symbol.asyncDispose]: () => front[Symbol.asyncDispose](),
  }
}
