import { randomBytes } from 'node:crypto'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '@tideport/file-lifecycle/testing/bundle'
import { expect, it } from 'vitest'
import { backup } from '../../src/back-up/backup.ts'
import { objectName } from '../../src/back-up/manifest.ts'
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
      // Byte 60 is inside an age header.
      const changed = [Math.min(60, middle), middle].map((at) =>
        Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1),
      )
      const damages = [0, 1, 21, middle, bytes.length - 33, bytes.length - 1].map((end) => bytes.subarray(0, end))
      for (const damaged of [...damages, ...changed, Buffer.concat([bytes, Buffer.of(0)])]) {
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

it('keeps the other backups useful if a part of the target is lost or damaged', async () => {
  await using drill = await setupDrill()
  const { t, env, identity, recipient, to, backUp, emptyServers } = drill
  const file = await t.provedFile('shared')
  const check = async (name: string, ...args: string[]) =>
    (await t.run(restore, ['--from', to(name), '--identity', identity, '--check', ...args], env)).failure
  for (const _ of [1, 2]) expect((await backUp('target', '--recipient', recipient)).failure).toBeNull()
  const object = join(to('target'), objectName(file.id))
  const bytes = await readFile(object)
  const changed = Buffer.from(bytes).fill((bytes[60] ?? 0) ^ 1, 60, 61)

  // Later backups share the bytes, and find them by their size.
  await writeFile(object, changed)
  expect((await backUp('target', '--recipient', recipient)).failure).toBeNull()
  expect(await check('target')).toMatch(/damaged in 1 places. Delete damaged objects, and back up again/)
  {
    await using other = await emptyServers()
    const restored = await t.run(restore, ['--from', to('target'), '--identity', identity], other.env)
    expect(restored.failure).toMatch(/objects.* is damaged/)
  }
  await rm(object)
  expect((await backUp('target', '--recipient', recipient)).failure).toBeNull()
  expect(await check('target')).toBeNull()

  const marker = join(to('target'), 'tideport-backup.json')
  await writeFile(marker, '{')
  expect(await check('target')).toBeNull()
  await rm(marker)
  expect(await check('target')).toBeNull()
})

it('refuses to back up with a clock that is behind the newest backup, because --keep would remove the new one', async () => {
  await using drill = await setupDrill()
  expect((await drill.backUp('target', '--unencrypted')).failure).toBeNull()
  const folder = join(drill.to('target'), 'backups')
  const [made = ''] = await readdir(folder)
  await rename(join(folder, made), join(folder, made.replace(/^\d{4}/, '9999')))
  const { failure } = await drill.backUp('target', '--unencrypted', '--keep', '1')
  expect(failure).toMatch(/^The target contains the backup 9999.* newer than the clock/)
  expect(await readdir(folder)).toHaveLength(1)
})

it('leaves out one file whose bytes are damaged everywhere, also with a bucket as the target', async () => {
  await using drill = await setupDrill()
  const { t, env, recipient } = drill
  await t.hotFile('intact')
  const rotten = await t.coldFile(randomBytes(9_000_000).toString('base64'))
  for (const name of ['disk-a', 'disk-b']) {
    const { blobId, reference } = await t.copy(rotten, name)
    const path = join(t.directoryOf(name).path, must(blobId), reference)
    const bytes = await readFile(path)
    await writeFile(path, bytes.fill(0, bytes.length - 9))
  }
  const to = ['--to', `s3://${t.bucket.bucket}/backups`, '--recipient', recipient]
  const { lines, failure } = await t.run(backup, to, { ...env, ...drill.bucketTarget })
  expect(failure).toBe('1 files could not be read and are not in the backup. No old backup was removed')
  expect(lines.join('\n')).toContain(`${rotten.id} could not be read: `)
  expect(lines.join('\n')).toMatch(/: 1 files, 6 bytes/)
})
