import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { drivers, missing } from '../networks-under-test.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the blob that is stored, unless each driver has one of its own that is larger than its limit. */
    largeBlobBytes?: number
  }
}

const MIB = 1024 * 1024
/** What a process may grow by, whatever the size of the blob, and a size that it could not hold. */
const LIMITS = {
  embedded: { growthBytes: 256 * MIB, sizeBytes: 512 * MIB },
  s3: { growthBytes: 160 * MIB, sizeBytes: 320 * MIB },
  ipfs: { growthBytes: 256 * MIB, sizeBytes: 320 * MIB },
}
const PROGRAM = fileURLToPath(new URL('../process/store-and-prove.ts', import.meta.url))

describe('a large blob', () => {
  for (const [name, { growthBytes, ...own }] of Object.entries(LIMITS)) {
    const size = inject('largeBlobBytes') ?? own.sizeBytes
    it.skipIf(missing().includes(name))(
      `${name}: ${size / MIB} MiB are stored, read and proved by a process that never grows by ${growthBytes / MIB} MiB`,
      async () => {
        await using under = (await drivers[name]?.()) ?? expect.unreachable('there is no such driver')
        const { stdout } = await promisify(execFile)(process.execPath, [
          PROGRAM,
          JSON.stringify(under.config),
          `${size}`,
        ])
        const { readBytes, proof, grownBytes } = JSON.parse(stdout)
        expect(readBytes).toBe(size)
        expect(proof).toEqual({ ok: true, expiresAt: null })
        expect(grownBytes).toBeLessThan(growthBytes)
        if (size !== own.sizeBytes) console.info(`${name}: grew by ${Math.round(grownBytes / MIB)} MiB`)
      },
      1_800_000,
    )
  }
})
