import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createEmbeddedDirectory } from '../embedded-directory.ts'

const MIB = 1024 * 1024

it('embedded: storing, reading and proving 512 MiB takes less than 140 MB of memory', async () => {
  await using embedded = await createEmbeddedDirectory()
  const program = fileURLToPath(new URL('../process/store-and-prove.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program, embedded.dir, `${512 * MIB}`])
  const { readBytes, proof, grownBytes } = JSON.parse(stdout)
  expect(readBytes).toBe(512 * MIB)
  expect(proof).toEqual({ ok: true, expiresAt: null })
  expect(grownBytes).toBeLessThan(140_000_000)
}, 240_000)
