import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { drivers, missing } from '../networks-under-test.ts'

const MIB = 1024 * 1024
const SIZES = { embedded: 512 * MIB, s3: 320 * MIB, ipfs: 320 * MIB }
const PROGRAM = fileURLToPath(new URL('../process/store-and-prove.ts', import.meta.url))

describe('a large blob', () => {
  for (const [name, size] of Object.entries(SIZES)) {
    it.skipIf(missing().includes(name))(
      `${name}: ${size / MIB} MiB are stored, read and proved by a process that never holds the half of them`,
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
        expect(grownBytes).toBeLessThan(size / 2)
      },
      240_000,
    )
  }
})
