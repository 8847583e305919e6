import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fileLockHolder, releaseFileLock, tryFileLock } from '../../src/processes/file-lock.ts'
import { temporaryDir } from '../temporary-dir.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url))

test('a lock tells who has it, and is free at once when that process is killed with -9', async () => {
  await using dir = await temporaryDir()
  const file = join(dir.path, 'lock')
  const holder = spawn(process.execPath, [fixture('hold-lock'), file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  expect(await tryFileLock(file)).toEqual({ holderPid: holder.pid })
  expect(await fileLockHolder(file)).toBe(holder.pid)

  holder.kill('SIGKILL')
  await once(holder, 'exit')
  expect(await fileLockHolder(file)).toBeUndefined()
  expect(await tryFileLock(file)).toBe('held')
  await releaseFileLock(file)
  expect(await readdir(dir.path)).toEqual([])
})

test('of many processes that find the lock of a dead one, one at a time gets it', async () => {
  await using dir = await temporaryDir()
  const args = [fixture('contend-for-lock'), join(dir.path, 'lock'), '25']
  const contenders = Array.from({ length: 5 }, () => promisify(execFile)(process.execPath, args, { timeout: 120_000 }))
  await expect(Promise.all(contenders)).resolves.toHaveLength(5)
  expect(await readdir(dir.path)).toEqual(['lock'])
})
