import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { replaceFile } from '../../src/local/replace-file.ts'

/** Replaces a file repeatedly. */
const program = `
const [, module, path] = process.argv
const { replaceFile } = await import(module)
for (;;) await replaceFile(path, 'x'.repeat(2 ** 22))`

it('deletes the incomplete file of a killed process on the next write', async () => {
  await using folder = await createTemporaryDirectory('replace')
  const path = join(folder.path, 'vaults.json')
  const module = new URL('../../src/local/replace-file.ts', import.meta.url).href
  const left = async () => (await readdir(folder.path)).filter((name) => name !== 'vaults.json')
  while ((await left()).length === 0) {
    const args = ['--input-type=module', '--eval', program, module, path]
    const child = spawn(process.execPath, args, { env: nodeEnvironment(), stdio: 'ignore' })
    while ((await left()).length === 0) expect(child.exitCode).toBeNull()
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  // A file of a running process, and files with similar names.
  const theirs = [`vaults.json.1.00000000.${randomUUID()}`, `vaults.json.${randomUUID()}`, 'vaults.json.lock.4194999.x']
  for (const name of theirs) await writeFile(join(folder.path, name), '')
  await Promise.all([replaceFile(path, 'new'), replaceFile(path, 'new')])
  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await left()).toSorted()).toEqual(theirs.toSorted())
})
