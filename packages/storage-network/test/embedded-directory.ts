import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedNetwork } from '../src/embedded/embedded-network.ts'
import type { StorageNetwork } from '../src/storage-network.ts'

/** An embedded network in a directory of its own that goes away with it. */
export interface EmbeddedDirectory extends AsyncDisposable {
  dir: string
  network: StorageNetwork
}

export async function createEmbeddedDirectory(): Promise<EmbeddedDirectory> {
  const root = await mkdtemp(join(tmpdir(), 'embedded-network-'))
  const dir = join(root, 'network')
  return {
    dir,
    network: openEmbeddedNetwork(dir),
    [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }),
  }
}

/** Inverts one stored byte. */
export async function flipByte(path: string, offset: number): Promise<void> {
  await using handle = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await handle.read(byte, 0, 1, offset)
  byte.writeUInt8(byte.readUInt8(0) ^ 0xff)
  await handle.write(byte, 0, 1, offset)
}
