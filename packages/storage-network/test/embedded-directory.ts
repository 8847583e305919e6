import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedNetwork } from '../src/embedded/embedded-network.ts'
import { type NetworkSetUp, setUpStorageNetwork } from '../src/set-up-network.ts'
import type { StorageNetwork } from '../src/storage-network.ts'

/** An embedded network in a temporary directory. Disposal deletes the directory. */
export interface EmbeddedDirectory extends AsyncDisposable {
  dir: string
  network: StorageNetwork
  config: ReturnType<typeof configOf>
  /** Opens the network like another process would. */
  open(different?: Different): StorageNetwork
}

export async function createEmbeddedDirectory(): Promise<EmbeddedDirectory> {
  const root = await mkdtemp(join(tmpdir(), 'embedded-network-'))
  const dir = join(root, 'network')
  await setUpDirectory(dir)
  const open = (different?: Different) => openDirectory(dir, different)
  return {
    dir,
    network: open(),
    config: configOf(dir, {}),
    open,
    [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }),
  }
}

/** Differences from the default network of the tests. */
interface Different {
  name?: string
  reserveBytes?: number
  installationId?: () => Promise<string>
  diskCallsMax?: number
}

const configOf = (dir: string, { name = 'disk-a', reserveBytes = 0 }: Different) => ({
  name,
  driver: 'embedded' as const,
  dir,
  reserveBytes,
})
const installationId = async () => 'test-installation'

/** Opens the network in a directory that was set up. */
export function openDirectory(dir: string, different: Different = {}): StorageNetwork {
  return openEmbeddedNetwork({ ...configOf(dir, different), installationId, ...different })
}

export function setUpDirectory(dir: string, setUp: Partial<NetworkSetUp> & Different = {}) {
  const asked = { installationId, remembered: [], acceptLostCopies: false, ...setUp }
  return setUpStorageNetwork(configOf(dir, setUp), asked)
}

/** Inverts one stored byte. */
export async function flipByte(path: string, offset: number): Promise<void> {
  await using handle = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await handle.read(byte, 0, 1, offset)
  byte.writeUInt8(byte.readUInt8(0) ^ 0xff)
  await handle.write(byte, 0, 1, offset)
}
