import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles, readVault } from '@tideport/sdk'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

test.concurrent('a login stores the key in a file that only its user can read, and the environment overrides it', async () => {
  await using user = await cliAccount()
  const { tideport, home, baseUrl, key } = user
  const keyless = { TIDEPORT_API_KEY: '' }
  const args = ['login', '--url', baseUrl, '--token-stdin', '--no-keyring', '--json']
  const refused = await tideport(args, { stdin: 'tdp_wrong\n', environment: keyless })
  expect(refused).toMatchObject({ code: 4, stdout: '' })
  expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'unauthenticated', requestId: expect.stringMatching(/./) })

  const login = await tideport(args, { stdin: `${key}\n`, environment: keyless })
  const [{ keyIn }] = login.values()
  expect(keyIn).toBe(join(home, '.config/tideport/keys/default'))
  expect((await stat(keyIn)).mode & 0o777).toBe(0o600)
  expect(await readFile(keyIn, 'utf8')).toBe(`${key}\n`)
  expect(login.stdout + login.stderr).not.toContain(key)

  const nowhere = { TIDEPORT_URL: '', ...keyless }
  expect(await tideport(['vaults'], { environment: nowhere })).toMatchObject({ code: 0 })
  expect(await tideport(['vaults'], { environment: { ...nowhere, TIDEPORT_API_KEY: 'tdp_wrong' } })).toMatchObject({
    code: 4,
  })
  // A stored key is not sent to another service.
  await using stranger = await startReceiver()
  const elsewhere = await tideport(['vaults', '--url', stranger.url], { environment: nowhere })
  expect(elsewhere).toMatchObject({ code: 4, stderr: expect.stringContaining('No key is stored for') })
  expect(stranger.requests).toEqual([])

  expect(await tideport(['logout'], { environment: nowhere })).toMatchObject({ code: 0 })
  expect(await tideport(['vaults'], { environment: nowhere })).toMatchObject({ code: 4 })
})

test.concurrent('files are uploaded, listed, read, moved, deleted, and restored by their paths', async () => {
  await using user = await cliAccount()
  const { tideport, write, client } = user
  const created = await tideport(['vaults', 'create', 'Häfen', '--json'])
  expect(created.values()).toMatchObject([{ slug: 'hafen', visibility: 'public' }])
  await write({ 'notes/a.txt': 'first', 'notes/deep/[31mb.md': 'second' })
  const uploaded = await tideport(['upload', 'notes', '--to', 'hafen:2026', '--tag', 'x', '--json'])
  expect(uploaded).toMatchObject({ code: 0, stderr: '' })
  expect(uploaded.values().map(({ to, status }) => [to, status]).toSorted()).toEqual([['hafen:2026/notes/a.txt', 'hot'], ['hafen:2026/notes/deep/[31mb.md', 'hot']]) // biome-ignore format: one claim
  const vaultId = created.values()[0].id
  const [first] = (await listFiles(client, { vaultId, tag: 'x', prefix: '2026/notes/a' }).page()).files
  expect(first).toMatchObject({ path: '2026/notes/a.txt', mimeType: 'text/plain' })

  expect(await tideport(['cat', 'hafen:2026/notes/a.txt', first?.id as string])).toMatchObject({ stdout: 'firstfirst' })
  const listed = await tideport(['ls', 'hafen:2026/notes', '--json'])
  expect(listed.values()).toMatchObject([{ folder: '2026/notes/deep/' }, { path: '2026/notes/a.txt' }])

  const piped = await tideport(['upload', '-', '--name', 'in.txt', '--to', 'hafen'], { stdin: 'from a pipe' })
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36} {2}hafen:in\.txt\n$/) })
  expect(await tideport(['cat', 'hafen:in.txt'])).toMatchObject({ stdout: 'from a pipe' })

  const used = await tideport(['usage', '--vault', 'hafen', '--days', '7', '--json'])
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
  expect(used.values().at(-1)).toEqual({ day, fileCount: 3, storageBytes: 22 })
  const { code, stdout } = await tideport(['usage'])
  const days = [...stdout.matchAll(/^\d{4}-\d\d-\d\d +3 files +22 B +\+(\d+) B/gm)]
  // Two days if the test runs around midnight.
  expect([code, days.length > 0, days.reduce((sum, [, bytes]) => sum + Number(bytes), 0)]).toEqual([0, true, 22])
  expect(await tideport(['usage', '--days', '400'])).toMatchObject({ code: 1, stderr: expect.stringContaining('1 to 366') }) // biome-ignore format: one claim

  expect(await tideport(['mv', 'hafen:2026/notes', 'hafen:old'])).toMatchObject({ code: 0 })
  const recursive = await tideport(['ls', 'hafen', '-r', '--json'])
  expect(recursive.values().map(({ path }) => path)).toEqual(['in.txt', 'old/a.txt', 'old/deep/[31mb.md'])
  expect(await tideport(['mv', 'hafen:in.txt', 'hafen:old/a.txt'])).toMatchObject({ code: 1, stderr: expect.stringContaining('has this path') }) // biome-ignore format: one claim

  expect(await tideport(['rm', 'hafen:in.txt', 'hafen:missing'])).toMatchObject({ code: 3, stderr: expect.stringMatching(/hafen:missing: No such file/) }) // biome-ignore format: one claim
  expect(await tideport(['rm', 'hafen:old', '-r'])).toMatchObject({ code: 0 })
  expect(await readVault(client, { vaultId })).toMatchObject({ fileCount: 0 })
  expect(await tideport(['restore', 'hafen:in.txt'])).toMatchObject({ code: 0 })
  expect(await tideport(['rm', '--permanent', 'hafen:in.txt'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') }) // biome-ignore format: one claim
  expect(await tideport(['rm', '--permanent', '--yes', 'hafen:in.txt'])).toMatchObject({ code: 0 })
  expect(await tideport(['restore', 'hafen:in.txt'])).toMatchObject({ code: 1 })
})

test.concurrent('a key and a webhook are created, listed, and deleted, and stdout contains only the secret', async () => {
  await using user = await cliAccount()
  const { tideport } = user
  const args = ['keys', 'create', 'narrow', '--scope', 'files:read', '--scope', 'vaults:read', '--vault', 'default', '--expires-in', '2'] // biome-ignore format: one line
  const made = await tideport(args)
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tdp_\w{49}\n$/) })
  const narrow = { TIDEPORT_API_KEY: made.stdout.trim() }
  expect(await tideport(['ls', 'default'], { environment: narrow })).toMatchObject({ code: 0 })
  expect(await tideport(['vaults', 'create', 'x'], { environment: narrow })).toMatchObject({ code: 1, stderr: expect.stringMatching(/\(request .+\)/) }) // biome-ignore format: one claim
  const key = (await tideport(['keys', '--json'])).values().find(({ name }) => name === 'narrow')
  expect(await tideport(['keys', 'revoke', key.id])).toMatchObject({ code: 0 })
  expect(await tideport(['ls', 'default'], { environment: narrow })).toMatchObject({ code: 4 })
  expect(await tideport(['keys', 'create', 'x', '--verb', 'fly'])).toMatchObject({ code: 1, stderr: expect.stringContaining('limits.verbs.0') }) // biome-ignore format: one claim

  const forS3 = await tideport(['keys', 'create', 'backup', '--s3', '--format', 'rclone'])
  expect(forS3.stdout).toMatch(
    /^\[tideport\]\ntype = s3\nprovider = Other\naccess_key_id = TP\w{18}\nsecret_access_key = \w{40}\nendpoint = http/,
  )
  const backup = (await tideport(['keys', '--json'])).values().find(({ name }) => name === 'backup')
  const [rotated] = (await tideport(['keys', 'rotate', backup.id, '--json'])).values()
  expect(rotated.s3.accessKeyId).toBe(rotated.s3AccessKeyId)
  expect(rotated.s3AccessKeyId).not.toBe(backup.s3AccessKeyId)
  expect(await tideport(['keys', 'create', 'x', '--format', 'aws'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--format requires --s3') }) // biome-ignore format: one claim

  await using receiver = await startReceiver()
  const created = await tideport(['webhooks', 'create', receiver.url, '--event', 'file.hot'])
  expect(created.stdout).toMatch(/^whsec_\S+\n$/)
  const [{ id }] = (await tideport(['webhooks', '--json'])).values()
  expect(await tideport(['webhooks', 'test', id])).toMatchObject({ code: 0 })
  expect(receiver.requests).toHaveLength(1)
  const [delivery] = (await tideport(['webhooks', 'deliveries', id, '--json'])).values()
  expect(delivery).toMatchObject({ event: 'file.hot', success: true })
  expect((await tideport(['webhooks', 'deliveries', id, '--failed', '--json'])).values()).toEqual([])
  expect(await tideport(['webhooks', 'rm', id])).toMatchObject({ code: 0 })
  expect(await tideport(['webhooks'])).toMatchObject({ code: 0, stdout: '' })
})

test.concurrent('a link to a file and to a folder is created, opens its target, and is revoked', async () => {
  await using user = await cliAccount()
  const { tideport, write } = user
  await write({ 'box/a.txt': 'linked' })
  await tideport(['upload', 'box'])
  const mistyped = await tideport(['link', 'default:box/b.txt'])
  expect(mistyped).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('No file or folder found at default:box/b.txt') }) // biome-ignore format: one claim
  const made = await tideport(['link', 'default:box/a.txt', '--expires-in', '1', '--downloads', '3'])
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http\S+\n$/) })
  const [{ kind, prefix }] = (await tideport(['link', 'default:box/', '--json'])).values()
  expect([kind, prefix]).toEqual(['folder', 'box/'])
  const url = new URL(made.stdout.trim())
  const open = () => fetch(`${user.baseUrl}${url.pathname}/content`)
  expect(await (await open()).text()).toBe('linked')
  const listed = (await tideport(['links', '--json'])).values()
  expect(listed.map((one) => one.kind).toSorted()).toEqual(['file', 'folder'])
  const { id } = listed.find((one) => one.kind === 'file')
  expect(await tideport(['links', 'revoke', id])).toMatchObject({ code: 0, stdout: expect.stringContaining('revoked') })
  expect((await open()).status).not.toBe(200)
})
