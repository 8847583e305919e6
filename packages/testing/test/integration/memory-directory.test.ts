import { spawnSync } from 'node:child_process'
import { access, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { createMemoryDirectory } from '../../src/memory-directory.ts'

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

it('is new and empty, is deleted on disposal, and removes leftovers of killed runs but not of running ones', async () => {
  const purpose = `test-${crypto.randomUUID()}`
  const [dead, alive] = [spawnSync('true').pid, process.ppid].map((pid) => `/dev/shm/tideport-${purpose}-${pid}`)
  for (const path of [dead, alive]) await mkdir(String(path), { recursive: true })
  let made = ''
  {
    await using directory = await createMemoryDirectory(purpose)
    made = directory.path
    expect(await readdir(made)).toEqual([])
    // Without enough memory, the directory is on disk and leftovers are not searched.
    if (dirname(made) === '/dev/shm') expect([await isThere(String(dead)), await isThere(String(alive))]).toEqual([false, true]) // biome-ignore format: one claim
  }
  expect(await isThere(made)).toBe(false)
  for (const path of [dead, alive]) await rm(String(path), { recursive: true, force: true })
})
