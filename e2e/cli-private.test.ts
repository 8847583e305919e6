import { randomBytes } from 'node:crypto'
import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createVault, download, type FileRecord } from '@tideport/sdk'
import { createIdentity, downloadPrivate, openVaultKey, sealVaultKey } from '@tideport/sdk/crypto'
import { isFullRun } from '@tideport/testing/full-run'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

const MIB = 1024 ** 2
type User = Awaited<ReturnType<typeof cliAccount>>

/** The age recipient of an identity. */
async function person(folder: string, name: string) {
  const { identity, recipient } = await createIdentity()
  const path = join(folder, `${name}.identity`)
  await writeFile(path, `# made by a test\n${identity}\n`)
  return { identity, recipient, path }
}

async function diaryOf(user: User) {
  const me = await person(user.home.replace(/home$/, ''), 'me')
  const [vault] = (
    await user.tideport(['vaults', 'create', 'Diary', '--private', '--recipient', me.recipient, '--json'])
  ).values()
  const vaultKey = await openVaultKey(await readFile(vault.ageFile, 'utf8'), { identity: me.identity })
  return { me, vault, vaultKey, opened: { environment: { TIDEPORT_IDENTITY: me.path } } }
}

const bytesOf = async (body: ReadableStream) => Buffer.from(await new Response(body).arrayBuffer())

test.concurrent('a private vault is created with a passphrase, and only that passphrase opens its files', async () => {
  await using user = await cliAccount()
  const { tideport, write, filesOf, client, home } = user
  expect(await tideport(['vaults', 'create', 'Diary', '--private'])).toMatchObject({ code: 1, stderr: expect.stringContaining('TIDEPORT_PASSPHRASE') }) // biome-ignore format: one claim
  const created = await tideport(['vaults', 'create', 'Diary', '--private', '--passphrase-stdin', '--json'], { stdin: 'correct horse\n' }) // biome-ignore format: one call
  expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('keep a copy elsewhere') })
  const [{ ageFile, id: vaultId }] = created.values()
  expect(ageFile.startsWith(join(home, '.config/tideport/vault-keys/'))).toBe(true)
  expect((await stat(ageFile)).mode & 0o777).toBe(0o600)
  const written = await readFile(ageFile, 'utf8')
  expect(written).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/)
  // From here on, the age file has a lower work factor. Otherwise each opening would take a second.
  const passphrase = 'correct horse'
  await writeFile(
    ageFile,
    await sealVaultKey(await openVaultKey(written, { passphrase }), { passphrase, workFactor: 10 }),
  )

  await write({ 'today.txt': 'Dear diary' })
  expect(await tideport(['upload', 'today.txt', '--to', 'diary'])).toMatchObject({ code: 1, stderr: expect.stringContaining('no terminal to enter it') }) // biome-ignore format: one claim
  expect(await tideport(['upload', 'today.txt', '--to', 'diary'], { environment: { TIDEPORT_PASSPHRASE: 'wrong' } })).toMatchObject({ code: 1 }) // biome-ignore format: one claim
  expect(await filesOf(vaultId)).toEqual([])
  const unlocked = await tideport(['vaults', 'unlock', 'diary', '--passphrase-stdin', '--no-keyring', '--json'], { stdin: 'correct horse' }) // biome-ignore format: one call
  const [{ keyIn }] = unlocked.values()
  expect((await stat(keyIn)).mode & 0o777).toBe(0o600)
  expect(await tideport(['upload', 'today.txt', '--to', 'diary'])).toMatchObject({ code: 0 })
  const [file] = (await filesOf(vaultId)) as [FileRecord]
  expect((await bytesOf((await download(client, file)).body)).includes('diary')).toBe(false)
  expect(await tideport(['cat', 'diary:today.txt'])).toMatchObject({ stdout: 'Dear diary' })
  expect((await tideport(['cat', '--encrypted', 'diary:today.txt'])).stdout).not.toContain('diary')
  expect(await tideport(['vaults', 'lock', 'diary'])).toMatchObject({ code: 0 })
  expect(await tideport(['cat', file.id])).toMatchObject({ code: 1, stdout: '' })
  expect(await tideport(['cat', file.id], { environment: { TIDEPORT_PASSPHRASE: 'correct horse' } })).toMatchObject({ stdout: 'Dear diary' }) // biome-ignore format: one claim
})

test
  .runIf(isFullRun)
  .concurrent(
    'folders are uploaded to, compared with, synced with, and downloaded from a private vault like a public one',
    async () => {
      await using user = await cliAccount()
      const { tideport, at, write, read, filesOf, client } = user
      const { vault, vaultKey, opened } = await diaryOf(user)
      const contents = {
        'a.bin': randomBytes(17 * MIB),
        'in/empty': Buffer.alloc(0),
        'in/b.txt': Buffer.from('second'),
      }
      for (const [name, content] of Object.entries(contents)) await write({ [`box/${name}`]: content })
      expect(await tideport(['sync', 'box', 'diary:2026'], opened)).toMatchObject({ code: 0 })
      for (const file of await filesOf(vault.id)) {
        const { body } = await downloadPrivate(client, file, { vaultKey })
        const content = contents[file.path.slice('2026/'.length) as keyof typeof contents]
        expect(content.equals(await bytesOf(body)), file.path).toBe(true)
      }
      expect(await tideport(['sync', 'box', 'diary:2026'], opened)).toMatchObject({ stdout: '', stderr: '3 files already up to date\n' }) // biome-ignore format: one claim
      await write({ 'box/in/b.txt': 'SECOND' })
      const changed = await tideport(['sync', 'box', 'diary:2026', '--json'], opened)
      expect(changed.values().map(({ to }) => to)).toEqual(['diary:2026/in/b.txt'])
      const verified = await tideport(['verify', 'diary:2026', '--local', 'box', '--json'], opened)
      expect(verified.values().map(({ ok }) => ok)).toEqual([true, true, true])

      expect(await tideport(['download', 'diary:2026', '--to', 'back'], opened)).toMatchObject({ code: 0 })
      expect(await tideport(['sync', 'diary:2026', 'back/2026'], opened)).toMatchObject({ stdout: '', stderr: '3 files already up to date\n' }) // biome-ignore format: one claim
      expect((await readFile(at('back/2026/a.bin'))).equals(contents['a.bin'])).toBe(true)
      expect(await read('back/2026/in/b.txt')).toBe('SECOND')
      const piped = await tideport(['upload', '-', '--name', 'in.txt', '--to', 'diary'], {
        ...opened,
        stdin: 'from a pipe',
      })
      expect(piped.code).toBe(0)
      expect(await tideport(['cat', 'diary:in.txt'], opened)).toMatchObject({ stdout: 'from a pipe' })
    },
  )

test.concurrent('a killed upload to a private vault resumes, and so does a killed download', async () => {
  await using user = await cliAccount()
  const { tideport, at, write, filesOf } = user
  const { vault, opened } = await diaryOf(user)
  const names = Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, '0')}.bin`)
  const large = randomBytes(18 * MIB)
  for (const name of names) await write({ [`many/${name}`]: randomBytes(2000) })
  await write({ 'many/large.bin': large })
  const args = ['upload', 'many', '--to', 'diary', '--parallel', '2', '--json']
  const killed = await tideport(args, { ...opened, killAfterLines: 6 })
  expect(killed.code).toBeNull()
  const before = (await filesOf(vault.id)).filter(({ status }) => status !== 'uploading')
  expect(await tideport(args, opened)).toMatchObject({ code: 0, stderr: expect.stringContaining('Resuming') })
  // A file that was created, but not recorded before the kill, is deleted after a day.
  const files = (await filesOf(vault.id)).filter(({ status }) => status !== 'uploading')
  expect(files.map(({ path }) => path)).toEqual([...names, 'large.bin'].map((name) => `many/${name}`))
  const ids = new Set(files.map(({ id }) => id))
  expect(before.filter(({ id }) => !ids.has(id))).toEqual([])

  const { id } = files.at(-1) as FileRecord
  await rm(at('many/large.bin'))
  await write({ [`.tideport-${id}.part`]: large.subarray(0, 5 * MIB + 77) })
  expect(await tideport(['download', 'diary:many/large.bin'], opened)).toMatchObject({ code: 0 })
  expect((await readFile(at('large.bin'))).equals(large)).toBe(true)
})

test.concurrent('a vault is shared with an age file for another person, who reads it with their own API key', async () => {
  await using user = await cliAccount()
  await using friend = await cliAccount()
  const { tideport, folder, write } = user
  const { vault, opened } = await diaryOf(user)
  await write({ 'a.txt': 'for both of us' })
  await tideport(['upload', 'a.txt', '--to', 'diary'], opened)
  const ana = await person(folder, 'ana')
  const shared = await tideport(['vaults', 'key', 'diary', '--recipient', ana.recipient], opened)
  expect(await tideport(['vaults', 'key', 'diary', '--recipient', 'age1nobody'], opened)).toMatchObject({ code: 1, stdout: '' }) // biome-ignore format: one claim
  const narrow = await tideport(['keys', 'create', 'ana', '--vault', 'diary', '--verb', 'read'])
  const theirs = { TIDEPORT_API_KEY: narrow.stdout.trim() }
  expect(await friend.tideport(['cat', 'diary:a.txt'], { environment: theirs })).toMatchObject({ code: 1, stderr: expect.stringContaining('--key') }) // biome-ignore format: one claim
  await friend.write({ 'diary.age': shared.stdout })
  const wrong = ['vaults', 'unlock', 'diary', '--key', 'diary.age', '--no-keyring', '--identity']
  const other = await person(folder, 'other')
  expect(await friend.tideport([...wrong, other.path], { environment: theirs })).toMatchObject({ code: 1 })
  expect(await friend.tideport([...wrong, ana.path], { environment: theirs })).toMatchObject({ code: 0 })
  expect(await friend.tideport(['cat', 'diary:a.txt'], { environment: theirs })).toMatchObject({ stdout: 'for both of us' }) // biome-ignore format: one claim
  expect(await friend.tideport(['vaults', 'key', 'diary'], { environment: theirs })).toMatchObject({ stdout: shared.stdout }) // biome-ignore format: one claim
  expect(vault.visibility).toBe('private')
})

test.concurrent('a service that reports a private vault as public, or replaces it, receives nothing', async () => {
  await using user = await cliAccount()
  const { tideport, write, filesOf, client, home } = user
  const { vault } = await diaryOf(user)
  // Pretends that the vault was private before: the key is stored for this name and ID.
  const open = await createVault(client, { name: 'Open', visibility: 'public' })
  const keys = join(home, '.config/tideport/vault-keys', encodeURIComponent(user.baseUrl))
  await writeFile(join(keys, `open_${open.id}.age`), '')
  await writeFile(join(keys, `default_${vault.id}.age`), '')
  await write({ 'a.txt': 'secret' })
  expect(await tideport(['upload', 'a.txt', '--to', 'open'])).toMatchObject({ code: 1, stderr: expect.stringContaining('is private, but the service reports it as public') }) // biome-ignore format: one claim
  expect(await tideport(['upload', 'a.txt', '--to', 'default'])).toMatchObject({ code: 1, stderr: expect.stringContaining('now uses it for another vault') }) // biome-ignore format: one claim
  expect(await filesOf(open.id)).toEqual([])
  expect((await readdir(keys)).length).toBe(3)
})

test.runIf(isFullRun).concurrent('a file that changes during its encryption is not uploaded', async () => {
  await using user = await cliAccount()
  const { tideport, at, filesOf } = user
  const { vault, opened } = await diaryOf(user)
  const path = at('growing.log')
  await writeFile(path, randomBytes(40 * MIB))
  const growing = setInterval(() => void appendFile(path, 'x').catch(() => {}), 5)
  try {
    expect(await tideport(['upload', 'growing.log', '--to', 'diary'], opened)).toMatchObject({ code: 1, stderr: expect.stringContaining('changed during the upload') }) // biome-ignore format: one claim
  } finally {
    clearInterval(growing)
  }
  expect((await filesOf(vault.id)).filter(({ status }) => status !== 'uploading')).toEqual([])
})
