import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorageNetwork } from '../src/open-network.ts'
import { setUpStorageNetwork } from '../src/set-up-network.ts'
import type { StorageNetwork } from '../src/storage-network.ts'

const installation = 'test-installation'

/** An embedded network in a directory of its own that goes away with it. */
export interface EmbeddedDirectory extends AsyncDisposable {
  dir: string
  network: StorageNetwork
  /** As another process would open it. */
  open(installation?: string): StorageNetwork
}

export async function createEmbeddedDirectory(): Promise<EmbeddedDirectory> {
  const root = await mkdtemp(join(tmpdir(), 'embedded-network-'))
  const dir = join(root, 'network')
  await setUpDirectory(dir)
  const open = (ours = installation) => openDirectory(dir, ours)
  return {
    dir,
    network: open(),
    open,
    [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }),
  }
}

const configOf = (embeddedNetworkDir: string, embeddedNetworkReserveBytes = 0) => ({
  storageNetwork: 'embedded' as const,
  embeddedNetworkDir,
  embeddedNetworkReserveBytes,
})

/** The network in a directory that was set up. */
export function openDirectory(dir: string, ours = installation, reserveBytes = 0): StorageNetwork {
  return openStorageNetwork(configOf(dir, reserveBytes), { installationId: async () => ours })
}

export function setUpDirectory(dir: string, setUp: Partial<Parameters<typeof setUpStorageNetwork>[1]> = {}) {
  const asked = { installationId: async () => installation, remembered: [], acceptLostCopies: false, ...setUp }
  return setUpStorageNetwork(configOf(dir), asked)
}

/** Inverts one stored byte. */
export async function flipByte(path: string, offset: number): Promise<void> {
  await using handle = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await handle.read(byte, 0, 1, offset)
  byte.writeUInt8(byte.readUInt8(0) ^ 0xff)
  await handle.write(byte, 0, 1, offset)
}
