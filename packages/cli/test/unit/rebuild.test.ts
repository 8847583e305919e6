import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'

const program = join(import.meta.dirname, '../../../../docs/guides/rebuild.mjs')

/** Returns the exit code and stderr. */
const rebuild = (...args: string[]) =>
  new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { env: nodeEnvironment() }, (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    )
  })

it('rebuild.mjs writes no empty line to its records, and completes a line that a crash truncated', async () => {
  await using directory = await createTemporaryDirectory('rebuild')
  const [manifest, target] = [join(directory.path, 'manifest.ndjson'), join(directory.path, 'to')]
  const records = join(target, 'records.ndjson')
  const vault = { type: 'vault', id: 'v', slug: 'default' }
  const lines = [{ type: 'tideport-manifest', version: 1 }, vault, { type: 'end', files: 0 }]
  await writeFile(manifest, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const line = JSON.stringify(vault)
  expect(await rebuild(manifest, target)).toEqual({ code: 0, stderr: '' })
  expect((await readFile(records, 'utf8')).split('\n')).toEqual([line, ''])
  await rebuild(manifest, target)
  expect((await readFile(records, 'utf8')).split('\n')).toEqual([line, line, ''])
  await appendFile(records, '{"id":"cut')
  await rebuild(manifest, target)
  expect((await readFile(records, 'utf8')).split('\n')).toEqual([line, line, '{"id":"cut', line, ''])
})

it('rebuild.mjs reports a file on one line, whatever its name', async () => {
  await using directory = await createTemporaryDirectory('rebuild')
  const manifest = join(directory.path, 'manifest.ndjson')
  const name = 'a\n\u001b[2K\u009b\u2028\u202eb'
  const file = { type: 'file', id: 'f\n', vaultId: 'v', path: name, name, sizeBytes: 1, checksumSha256: null, isLatest: true, copies: [] } // biome-ignore format: one record
  const lines = [{ type: 'tideport-manifest', version: 1 }, file, { type: 'end', files: 1 }]
  await writeFile(manifest, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const { code, stderr } = await rebuild(manifest, join(directory.path, 'to'))
  expect(code).toBe(1)
  expect(stderr.slice(0, -1)).not.toMatch(/[\p{C}\u2028]/u)
})
