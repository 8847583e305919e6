import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeStorageNetwork } from '../conformance.ts'
import { createEmbeddedDirectory, flipByte } from '../embedded-directory.ts'

describeStorageNetwork('embedded', async () => {
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
})
