import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { drivers, missing } from '../networks-under-test.ts'

const MIB = 1024 * 1024
/** How much a process may grow for a blob of any size, and a size that does not fit into that. */
const LIMITS = {
  embedded: { growthBytes: 256 * MIB, sizeBytes: 512 * MIB },
  s3: { growthBytes: 160 * MIB, sizeBytes: 320 * MIB },
  ipfs: { growthBytes: 256 * MIB, sizeBytes: 320 * MIB },
}
const PROGRAM = fileURLToPath(new URL('../process/store-and-prove.ts', import.meta.url))

describe('a large blob', () => {
  for (const [name, { growthBytes, sizeBytes }] of Object.entries(LIMITS)) {
    it.skipIf(missing().includes(name))(
      `${name}: ${sizeBytes / MIB} MiB are stored, read, and proved by a process that grows by less than ${growthBytes / MIB} MiB`,
      async () => {
        await using under = (await drivers[name]?.()) ?? expect.unreachable('there is no such driver')
        const { stdout } = await promisify(execFile)(process.execPath, [
          PROGRAM,
          JSON.stringify(under.config),
          `${sizeBytes}`,
        ])
        const { readBytes, proof, grownBytes } = JSON.parse(stdout)
        expect(readBytes).toBe(sizeBytes)
        expect(proof).toEqual({ ok: true, expiresAt: null })
        expect(grownBytes).toBeLessThan(growthBytes)
      },
      1_800_000,
    )
  }
})
