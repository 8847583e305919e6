import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'

/** Takes the lock repeatedly and records when it acquires and releases it. */
const program = `
const [, module, path, log] = process.argv
const { waitForLock } = await import(module)
const { appendFileSync } = await import('node:fs')
for (let round = 0; round < 5; round++) {
  await using held = await waitForLock(path, AbortSignal.timeout(60_000))
  appendFileSync(log, 'in ' + process.pid + '\\n')
  await new Promise((resolve) => setImmediate(resolve))
  appendFileSync(log, 'out ' + process.pid + '\\n')
}`

it('runs one process at a time when many take over the lock of a killed process', async () => {
  await using folder = await createTemporaryDirectory('lock-file')
  const [path, log] = [join(folder.path, 'lock'), join(folder.path, 'log')]
  for (let left = 0; left < 3; left++) await writeFile(`${path}.${4_194_990 + left}.${randomUUID()}`, '')
  const module = new URL('../../src/local/lock-file.ts', import.meta.url).href
  const args = ['--input-type=module', '--eval', program, module, path, log]
  const one = () => promisify(execFile)(process.execPath, args, { env: nodeEnvironment() })
  await Promise.all(Array.from({ length: 6 }, one))
  const lines = (await readFile(log, 'utf8')).trim().split('\n')
  expect(lines).toHaveLength(60)
  for (let line = 0; line < lines.length; line += 2) {
    expect(lines[line + 1]).toBe(lines[line]?.replace('in ', 'out '))
  }
  expect(await readdir(folder.path)).toEqual(['log'])
})
