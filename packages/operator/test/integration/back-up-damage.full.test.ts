import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '@tideport/file-lifecycle/testing/bundle'
import { expect, it } from 'vitest'
import { restore } from '../../src/back-up/restore.ts'
import { setupDrill } from '../drill.ts'

it('detects a cut, a changed byte, and a loss in each kind of blob, and never restores them', async () => {
  await using drill = await setupDrill()
  const { t, env, identity, recipient, to, backUp } = drill
  await t.provedFile('damaged')
  expect((await backUp('whole', '--recipient', recipient)).failure).toBeNull()
  expect((await backUp('plain', '--unencrypted')).failure).toBeNull()
  for (const kept of ['whole', 'plain']) {
    const check = async () =>
      (await t.run(restore, ['--from', to('damaged'), '--identity', identity, '--check'], env)).failure
    const blobs = (await readdir(to(kept), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== 'tideport-backup.json')
      .map((entry) => join(entry.parentPath, entry.name).slice(to(kept).length + 1))
    const kinds = ['/manifest', '/files', '/ids', '/files.file', '/auth.account', 'objects/'].map((kind) =>
      must(blobs.find((name) => name.endsWith(kind) || name.startsWith(kind))),
    )
    await cp(to(kept), to('damaged'), { recursive: true })
    expect(await check()).toBeNull()
    for (const name of kinds) {
      const path = join(to('damaged'), name)
      const bytes = await readFile(path)
      const middle = Math.floor(bytes.length / 2)
      const changed = Buffer.from(bytes).fill((bytes[middle] ?? 0) ^ 1, middle, middle + 1)
      const damages = [0, 1, 21, middle, bytes.length - 33, bytes.length - 1].map((end) => bytes.subarray(0, end))
      for (const damaged of [...damages, changed, Buffer.concat([bytes, Buffer.of(0)])]) {
        await writeFile(path, damaged)
        expect(await check(), `${name} with ${damaged.length} of ${bytes.length} bytes`).toMatch(/damaged/)
      }
      await rm(path)
      expect(await check()).toMatch(name.endsWith('/manifest') ? /no complete backup/ : /damaged in/)
      await writeFile(path, bytes)
    }
    await rm(to('damaged'), { recursive: true })
  }
})
