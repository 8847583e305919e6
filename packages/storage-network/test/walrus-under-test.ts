import { readFile, writeFile } from 'node:fs/promises'
import { DEVNET_SHARDS, startWalrus, type TestWalrus } from '@tideport/testing/walrus'
import { setUpStorageNetwork } from '../src/set-up-network.ts'
import type { CopyName } from '../src/storage-network.ts'
import type { WalrusSettings } from '../src/walrus/settings.ts'
import { openWalrusNetwork } from '../src/walrus/walrus-network.ts'
import type { NetworkUnderTest } from './networks-under-test.ts'

const nobody = { installationId: async () => 'test-installation' }
export const JWT_SECRET = '0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'

export const configOf = ({ url }: Pick<TestWalrus, 'url'>, different: Partial<WalrusSettings> = {}) => ({
  ...{ name: 'walrus-a', driver: 'walrus' as const, publishers: [url] as [string], aggregators: [url] as [string] },
  ...{ jwtSecret: JWT_SECRET, jwtSeconds: 60, epochs: 5, epochSeconds: 14 * 86_400, isPermanent: true },
  ...{ maxBlobBytes: 59_000_000, checkIdBytes: 256 * 1024, propagationSeconds: 0.2, shards: DEVNET_SHARDS },
  ...different,
})

/** A devnet and a network on it. Tests damage its blobs on disk. */
export async function openWalrus(
  different: Partial<WalrusSettings> = {},
): Promise<NetworkUnderTest & { walrus: TestWalrus }> {
  const walrus = await startWalrus({ token: { secret: JWT_SECRET, seconds: 60 } })
  const config = configOf(walrus, different)
  await setUpStorageNetwork(config, { ...nobody, remembered: [], acceptLostCopies: false })
  const open = () => openWalrusNetwork({ ...config, ...nobody })
  const pathOf = ({ blobId }: Pick<CopyName, 'blobId'>) => walrus.current().blobs.pathOf(blobId)
  const stored: string[] = []
  const network = open()
  return {
    ...{ walrus, config, open },
    network: {
      ...network,
      async stage(...given) {
        const staged = await network.stage(...given)
        stored.push(staged.blobId)
        return staged
      },
    },
    contentOf: (copy) => readFile(pathOf(copy)),
    replaceContent: (copy, bytes) => writeFile(pathOf(copy), bytes),
    treeOf: (copy) => readFile(pathOf({ blobId: copy.ref.treeBlob ?? '' })),
    async replaceTree({ ref: { treeBlob = '' } }, bytes) {
      if (bytes) await writeFile(pathOf({ blobId: treeBlob }), bytes)
      else await walrus.current().blobs.forget(treeBlob)
    },
    loseStaged: () => walrus.current().blobs.forget(stored.at(-1) ?? ''),
    [Symbol.asyncDispose]: () => walrus[Symbol.asyncDispose](),
  }
}
