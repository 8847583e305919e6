import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createEmbeddedDirectory } from '../embedded-directory.ts'

const SIZE = 512 * 1024 * 1024

it('embedded: 512 MiB are stored, read and proven by a process that never holds the half of them', async () => {
  await using embedded = await createEmbeddedDirectory()
  const program = fileURLToPath(new URL('../process/store-and-prove.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program, embedded.dir, `${SIZE}`])
  const { readBytes, proof, grownBytes } = JSON.parse(stdout)
  expect(readBytes).toBe(SIZE)
  expect(proof).toEqual({ ok: true, expiresAt: null })
  expect(grownBytes).toBeLessThan(SIZE / 2)
}, 240_000)
