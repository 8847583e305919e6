import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageNetwork } from '../src/storage-network.ts'
import type { NetworkUnderTest } from './conformance.ts'
import { createEmbeddedDirectory, flipByte } from './embedded-directory.ts'

/** Every driver there is, as the conformance suite opens it. A new one joins with one line. */
export const drivers: Partial<Record<StorageNetwork['driver'], () => Promise<NetworkUnderTest>>> = {
  embedded: openEmbedded,
}

async function openEmbedded(): Promise<NetworkUnderTest> {
  const directory = await createEmbeddedDirectory()
  const staging = join(directory.dir, 'staging')
  return {
    network: directory.network,
    damage: async ({ blobId, reference }, offset) => await flipByte(join(directory.dir, blobId, reference), offset),
    loseStaged: async () => {
      for (const name of await readdir(staging)) await rm(join(staging, name))
    },
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  }
}
