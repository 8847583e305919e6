import { execFile } from 'node:child_process'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { fileLockHolder, keepTouching, releaseFileLock, tryFileLock } from '../../src/processes/file-lock.ts'
import { fixturePath, startFixture } from '../start-fixture.ts'

test('a lock names its holder, and is free immediately after a kill -9 of the holder', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const file = join(dir.path, 'lock')
  const holder = await startFixture('hold-lock', [file])
  expect(await tryFileLock(file)).toEqual({ holderPid: holder.pid })
  expect(await fileLockHolder(file)).toBe(holder.pid)

  await holder.kill()
  expect(await fileLockHolder(file)).toBeUndefined()
  expect(await tryFileLock(file)).toBe('held')
  await releaseFileLock(file)
  expect(await readdir(dir.path)).toEqual([])
})

test('of many processes that find a stale lock, only one at a time takes it', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const args = [fixturePath('contend-for-lock'), join(dir.path, 'lock'), '25']
  const contenders = Array.from({ length: 5 }, () => promisify(execFile)(process.execPath, args, { timeout: 120_000 }))
  await expect(Promise.all(contenders)).resolves.toHaveLength(5)
  expect(await readdir(dir.path)).toEqual(['lock'])
})

test('a holder in another container, whose process is not visible, keeps its lock while it touches it, and learns of its loss', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const file = join(dir.path, 'lock')
  await writeFile(file, '1 5@boot|pid:[1]')
  {
    const lost = Promise.withResolvers<void>()
    using _ = await keepTouching(file, lost.resolve)
    expect(await tryFileLock(file)).toEqual({ holderPid: 1 })
    await writeFile(file, '2 6@boot|pid:[2]')
    await lost.promise
  }
  const longAgo = new Date(Date.now() - 120_000)
  await utimes(file, longAgo, longAgo)
  expect(await tryFileLock(file)).toBe('held')
})
