import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createVault, download, type FileRecord, listFiles, listVaults, readContent, upload } from '@tideport/sdk'
import { createVaultKey, DecryptionError, downloadPrivate, uploadPrivate } from '@tideport/sdk/crypto'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'
import { ownBucket } from './support/own-bucket.ts'

const rebuild = fileURLToPath(new URL('../docs/guides/rebuild.mjs', import.meta.url))

test.concurrent('an account is exported to a folder, and rebuilt from it without the service', async () => {
  await using user = await cliAccount()
  const { tideport, folder, at, read, client } = user
  const vault = await createVault(client, { name: 'Häfen', visibility: 'public' })
  const files = { 'a/b.txt': 'first', 'c.bin': 'second '.repeat(300_000) }
  for (const [path, bytes] of Object.entries(files)) {
    await upload(client, new TextEncoder().encode(bytes), { vaultId: vault.id, name: '', fields: { path } })
  }
  const killed = await tideport(['export', 'out', '--json', '--keep'], {
    environment: { TIDEPORT_API_KEY: 'tdp_wrong' },
  })
  expect(killed.code).toBe(4)
  const exported = await tideport(['export', 'out', '--json'])
  expect([exported.code, exported.stderr]).toEqual([0, expect.any(String)])
  expect(exported.values()).toMatchObject([{ folder: 'out', files: 2, lost: 0 }])
  const names = await readdir(at('out'))
  expect(names).toEqual(expect.arrayContaining(['manifest-000001.ndjson', 'part-000002.car']))
  const exports = async () => (await listVaults(client, {}).page()).vaults.filter(({ isExport }) => isExport)
  expect(await exports()).toEqual([])
  expect(await tideport(['export', 'out'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already contains an export'),
  })

  await promisify(execFile)(process.execPath, [rebuild, 'out', 'all'], { cwd: folder, env: {} })
  for (const [path, bytes] of Object.entries(files)) {
    expect(await read(`all/${vault.slug}/${path}`)).toBe(bytes)
  }

  expect(await tideport(['export', 'kept', '--keep'])).toMatchObject({ code: 0 })
  const [kept] = await exports()
  const [file] = (await listFiles(client, { vaultId: kept?.id }).page()).files
  // The service wrote the file, so the output does not claim that it was decrypted.
  const vaultKey = createVaultKey()
  await expect(downloadPrivate(client, file as FileRecord, { vaultKey })).rejects.toThrow(DecryptionError)
  const { body } = await download(client, file as FileRecord)
  expect(await new Response(body).text()).toBe(await read(`kept/${file?.name}`))
})

test.concurrent('an export is imported into another account with private files unchanged, and resumes after a kill', async () => {
  await using user = await cliAccount()
  await using other = await cliAccount()
  const { tideport, at, client } = user
  const open = await createVault(client, { name: 'Open', visibility: 'public' })
  const sealed = await createVault(client, { name: 'Sealed', visibility: 'private' })
  const vaultKey = createVaultKey()
  const large = 'large '.repeat(500_000)
  const text = new TextEncoder()
  const put = (path: string, bytes: string, fields = {}) =>
    upload(client, text.encode(bytes), { vaultId: open.id, fields: { path, ...fields } })
  await put('a/first.txt', 'older')
  await put('a/first.txt', 'newer', { metadata: { camera: 'X100' }, tags: ['sea'] })
  await put('large.bin', large)
  for (let n = 0; n < 20; n++) await put(`many/${n}`, `number ${n}`)
  await uploadPrivate(client, text.encode('dear diary'), { vaultId: sealed.id, vaultKey, name: 'diary' })
  expect(await tideport(['export', 'out'])).toMatchObject({ code: 0 })

  const from = at('out')
  const killed = await other.tideport(['import', from, '--json', '--parallel', '1'], {
    killAfterLines: 1,
  })
  expect(killed.code).toBe(null)
  expect(await other.tideport(['import', from, '--json'])).toMatchObject({ code: 0 })
  // Another account of the same service also gets all files, and takes nothing from the first.
  await using third = await cliAccount()
  expect(await third.tideport(['import', from])).toMatchObject({ code: 0 })
  expect(await other.tideport(['import', from])).toMatchObject({ code: 0 })
  const vaults = (await listVaults(other.client, {}).page()).vaults
  const vaultOf = (slug: string) => vaults.find((vault) => vault.slug === slug)?.id as string
  expect(vaults.map(({ slug, fileCount }) => [slug, fileCount]).toSorted()).toEqual([
    ['default', 0],
    ['open', 23],
    ['sealed', 1],
  ])
  const read = async (path: string) =>
    await (await readContent(other.client, { vaultId: vaultOf('open'), path })).text()
  expect([await read('a/first.txt'), await read('large.bin')]).toEqual(['newer', large])
  const [newer] = (await listFiles(other.client, { vaultId: vaultOf('open'), tag: 'sea' }).page()).files
  expect(newer).toMatchObject({ path: 'a/first.txt', metadata: { camera: 'X100' }, tags: ['sea'] })
  const [diary] = (await listFiles(other.client, { vaultId: vaultOf('sealed') }).page()).files
  const { body } = await downloadPrivate(other.client, diary?.id as string, { vaultKey })
  expect(await new Response(body).text()).toBe('dear diary')
})

test.concurrent('an export goes to a bucket, and its download is rebuilt and imported elsewhere', async () => {
  await using user = await cliAccount()
  await using other = await cliAccount()
  await using own = await ownBucket()
  const { tideport, folder, at, read, client } = user
  const vault = await createVault(client, { name: 'Häfen', visibility: 'public' })
  const files = { 'a/b.txt': 'first', 'c.bin': 'second '.repeat(2_000_000) }
  for (const [path, bytes] of Object.entries(files)) {
    await upload(client, new TextEncoder().encode(bytes), { vaultId: vault.id, name: '', fields: { path } })
  }
  const { endpoint } = own.target
  const args = ['export', '--to-bucket', `s3://${own.bucket}/backups`, '--endpoint', endpoint, '--json']
  expect(await tideport(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('AWS_ACCESS_KEY_ID') })
  expect(await tideport(['export'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a folder or a bucket'),
  })
  const wrong = { ...own.credentials, AWS_SECRET_ACCESS_KEY: 'mistyped-secret' }
  const refused = await tideport(args, { environment: wrong })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('SignatureDoesNotMatch')])
  expect(refused.stdout + refused.stderr).not.toContain('mistyped-secret')
  expect(await own.keys()).toEqual([])

  const exported = await tideport(args, { environment: own.credentials })
  expect([exported.code, exported.stderr]).toEqual([0, expect.any(String)])
  const [told] = exported.values()
  expect(told).toMatchObject({ to: expect.stringMatching(/\/backups\/export-[^/]+\/$/), files: 2, lost: 0 })
  const prefix = told.to.slice(`s3://${own.bucket}/`.length)
  for (const name of await own.keys())
    expect(name.slice(prefix.length)).toMatch(/^(manifest|part)-\d{6}\.(ndjson|car)$/)
  expect((await listVaults(client, {}).page()).vaults.filter(({ isExport }) => isExport)).toEqual([])

  await own.download(at('out'))
  await promisify(execFile)(process.execPath, [rebuild, 'out', 'all'], { cwd: folder, env: {} })
  for (const [path, bytes] of Object.entries(files)) {
    expect(await read(`all/${vault.slug}/${path}`)).toBe(bytes)
  }
  expect(await other.tideport(['import', at('out')])).toMatchObject({ code: 0 })
  const imported = (await listVaults(other.client, {}).page()).vaults.find(({ slug }) => slug === vault.slug)
  const content = await readContent(other.client, { vaultId: imported?.id as string, path: 'a/b.txt' })
  expect(await content.text()).toBe('first')
})
