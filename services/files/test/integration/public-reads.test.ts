import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { type Answer, clientOf, encryption, visitorOf } from '../client.ts'
import { makeCold, makeSynced } from '../later-states.ts'

const t = sharedBundle({ logLevel: 'info' })
const visit = visitorOf(t)

const missingId = '01890a5d-ac96-774b-bcce-b302099a8057'
const update = (fileId: string, set: string) => t.database.sql(`update file set ${set} where id = $1`, [fileId])

/** Headers that differ between any two responses, or describe the connection. */
const aside = ['server-timing', 'date', 'x-request-id', 'connection', 'keep-alive']

/** All parts of a response that a visitor can see. */
function seen({ status, headers, bytes }: Answer) {
  const visible = [...headers].filter(([name]) => !aside.includes(name))
  return { status, headers: Object.fromEntries(visible), bytes: bytes.toString() }
}

async function privateFile(bytes: string) {
  const client = clientOf(t)
  const { id: vaultId, slug } = await client.createVault('Secrets', 'private')
  return { client, slug, vaultId, file: await client.hotFile(bytes, { vaultId, ...encryption }) }
}

it('a client that disconnects causes no error in the log', async () => {
  const hot = await clientOf(t).hotFile(Buffer.alloc(16 * 1024 * 1024, 'x'))
  const cold = await clientOf(t).hotFile(Buffer.alloc(16 * 1024 * 1024, 'y'))
  await makeCold(t, cold.id)
  const cut = () => t.lines.filter(({ isCutShort }) => isCutShort).length
  const headers = await t.principalHeaders()
  for (const { id } of [hot, cold]) {
    for (const chunks of [0, 1, 1, 2, 3]) {
      const before = cut()
      const client = new AbortController()
      const { body } = await fetch(`${t.address}/api/public/files/${id}`, { headers, signal: client.signal })
      const reader = body?.getReader()
      for (let read = 0; read < chunks; read += 1) await reader?.read()
      client.abort()
      await waitFor(() => cut() === before + 1)
    }
  }
  expect(t.lines.filter(({ level, requestId }) => level !== 'info' && requestId !== undefined)).toEqual([])
})

describe('files that the public may not read', () => {
  it('return the same 404, byte for byte, as a missing resource', async () => {
    const owner = clientOf(t)
    const secret = await privateFile('secret')
    const secretBlob = await makeSynced(t, secret.file.id)
    const { fileId: unconfirmed } = (await owner.requestUpload({ vaultId: await owner.defaultVault(), sizeBytes: 5 }))
      .body
    const hot = await owner.hotFile('staged')
    await t.database.sql(`update copy set blob_id = 'bafkstaged' where file_id = $1`, [hot.id])
    const trashed = await owner.hotFile('trashed')
    const trashedBlob = await makeCold(t, trashed.id)
    await update(trashed.id, 'deleted_at = now()')
    const purging = await owner.hotFile('purging')
    await update(purging.id, 'purging_at = now()')
    const lost = await owner.hotFile('lost')
    await update(lost.id, `status = 'error', hot_key = null, error_code = 'hot_copy_missing', error = 'e'`)
    const inTrash = await owner.createVault('Old', 'public')
    const inTrashedVault = await owner.hotFile('old', { vaultId: inTrash.id })
    await t.database.sql('update vault set deleted_at = now() where id = $1', [inTrash.id])

    const refused = [
      ...[secret.file.id, unconfirmed, trashed.id, purging.id, lost.id, inTrashedVault.id, missingId, 'nonsense'].map(
        (id) => `/api/public/files/${id}`,
      ),
      ...[secretBlob, 'bafkstaged', trashedBlob, 'bafkunknown', 'x'.repeat(200), '%00', '..%2f..'].map(
        (id) => `/api/public/blobs/${id}`,
      ),
      `/api/public/vaults/${secret.client.accountId}/${secret.slug}`,
      `/api/public/vaults/${owner.accountId}/${inTrash.slug}`,
      `/api/public/vaults/${owner.accountId}/nowhere`,
      `/api/public/vaults/${newAccount()}/default`,
      `/api/public/vaults/${owner.accountId}/%00`,
      '/api/public/vaults/nonsense/default',
    ]
    const expected = seen(await visit(`/api/public/files/${missingId}`))
    expect(expected).toMatchObject({ status: 404, bytes: '{"error":"Not found","code":"not_found"}' })
    for (const path of refused) expect([path, seen(await visit(path))]).toEqual([path, expected])
    const expectedHead = seen(await visit(`/api/public/files/${missingId}`, { method: 'HEAD' }))
    for (const path of refused.slice(0, -6)) {
      expect([path, seen(await visit(path, { method: 'HEAD' }))]).toEqual([path, expectedHead])
    }
  })

  it('stay hidden even if a public file shares their blob ID', async () => {
    const secret = await privateFile('the same bytes')
    const blobId = await makeSynced(t, secret.file.id)
    expect((await visit(`/api/public/blobs/${blobId}`)).status).toBe(404)

    const client = clientOf(t)
    const twin = await client.hotFile('the same bytes', { name: 'twin.txt', mimeType: 'text/plain' })
    expect(await makeCold(t, twin.id)).toBe(blobId)
    const open = await visit(`/api/public/blobs/${blobId}`)
    expect([open.status, open.bytes.toString()]).toEqual([200, 'the same bytes'])
    expect(open.headers.get('content-type')).toBe('text/plain')
    expect(open.headers.get('content-disposition')).toBe('inline; filename=twin.txt')

    await update(twin.id, 'deleted_at = now()')
    expect((await visit(`/api/public/blobs/${blobId}`)).status).toBe(404)
  })

  it('do not change the name and type of a blob ID, which come from its earliest synced file', async () => {
    const evil = await clientOf(t).hotFile('known', { name: 'evil.html', mimeType: 'text/html' })
    const first = await clientOf(t).hotFile('known', { name: 'first.txt', mimeType: 'text/plain' })
    const blobId = await makeSynced(t, first.id)
    await makeSynced(t, evil.id)
    expect((await visit(`/api/public/blobs/${blobId}`)).headers.get('content-type')).toBe('text/plain')
  })
})

describe('public bytes', () => {
  it('support the same ranges and conditions while hot and cold, by file and by blob ID', async () => {
    const mimeType = 'text/html; charset=utf-16'
    const file = await clientOf(t).hotFile('0123456789', { mimeType })
    const checkAll = async (path: string, etag: string) => {
      const get = (headers: Record<string, string> = {}) => visit(path, { headers })
      const whole = await get()
      expect([whole.status, whole.bytes.toString()]).toEqual([200, '0123456789'])
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        etag,
        'accept-ranges': 'bytes',
        'cache-control': 'public, max-age=60',
        'content-length': '10',
        'content-type': mimeType,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'last-modified': new Date(file.confirmedAt).toUTCString(),
        'x-content-type-options': 'nosniff',
      })
      for (const [range, bytes, contentRange] of [
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=-3', '789', 'bytes 7-9/10'],
        ['bytes=8-100', '89', 'bytes 8-9/10'],
      ] as const) {
        const part = await get({ range, 'if-range': etag })
        expect([part.status, part.bytes.toString(), part.headers.get('content-range')]).toEqual([
          206,
          bytes,
          contentRange,
        ])
        expect(part.headers.get('content-length')).toBe(String(bytes.length))
      }
      expect((await get({ range: 'bytes=0-1,4-5' })).bytes.toString()).toBe('0123456789')
      expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).bytes.toString()).toBe('0123456789')
      const outside = await get({ range: 'bytes=10-' })
      expect([outside.status, outside.body.code]).toEqual([416, 'range_not_satisfiable'])
      expect(outside.headers.get('content-range')).toBe('bytes */10')
      const unchanged = await get({ 'if-none-match': `W/${etag}` })
      expect([unchanged.status, unchanged.bytes.length, unchanged.headers.get('etag')]).toEqual([304, 0, etag])
      const head = await visit(path, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
      expect(seen(head)).toEqual({ ...seen(whole), bytes: '' })
    }
    await checkAll(`/api/public/files/${file.id}`, `"${file.id}"`)
    const blobId = await makeSynced(t, file.id)
    await checkAll(`/api/public/blobs/${blobId}`, `"${blobId}"`)
    await makeCold(t, file.id)
    await checkAll(`/api/public/files/${file.id}`, `"${file.id}"`)
    await checkAll(`/api/public/blobs/${blobId}`, `"${blobId}"`)
  })

  it('of an empty file are complete for any requested range', async () => {
    const file = await clientOf(t).hotFile('')
    const whole = await visit(`/api/public/files/${file.id}`)
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, '0'])
    await makeCold(t, file.id)
    expect((await visit(`/api/public/files/${file.id}`)).status).toBe(200)
    const { status, bytes } = await visit(`/api/public/files/${file.id}`, { headers: { range: 'bytes=0-0' } })
    expect([status, bytes.length]).toEqual([200, 0])
  })

  it('come from the network when the hot object is missing, even if the file is in error', async () => {
    const file = await clientOf(t).hotFile('still here')
    const [row] = await t.database.sql('select hot_key from file where id = $1', [file.id])
    await makeSynced(t, file.id)
    await t.hotTier.remove(row?.hot_key)
    expect((await visit(`/api/public/files/${file.id}`)).bytes.toString()).toBe('still here')
    await update(file.id, `status = 'error', error_code = 'content_lost', error = 'e'`)
    expect((await visit(`/api/public/files/${file.id}`)).bytes.toString()).toBe('still here')
  })

  it('break the connection at a damaged part of a copy, so a truncated file never looks complete', async () => {
    const leafBytes = 1024 * 1024
    const file = await clientOf(t).hotFile(Buffer.alloc(3 * leafBytes, 'tide'))
    await makeCold(t, file.id)
    const entry = (await t.directory.list()).find((path) => path.includes(`/${file.id}`)) ?? ''
    await t.directory.corrupt(entry, 2 * leafBytes + 5)
    await expect(visit(`/api/public/files/${file.id}`)).rejects.toThrow('terminated')
    const sound = await visit(`/api/public/files/${file.id}`, { headers: { range: 'bytes=0-9' } })
    expect([sound.status, sound.bytes.toString()]).toEqual([206, 'tidetideti'])
    await t.directory.corrupt(entry, 0)
    // Only a check, which does not run in this test, determines whether the copy is lost.
    expect((await visit(`/api/public/files/${file.id}`)).status).toBe(503)
  })

  it.each([
    [11, 'The last 1 bytes are missing'],
    [9, 'The body has more bytes than'],
  ])('break the connection when the store does not return the %i bytes of a file', async (sizeBytes, message) => {
    const file = await clientOf(t).hotFile('0123456789')
    await update(file.id, `size_bytes = ${sizeBytes}`)
    await expect(visit(`/api/public/files/${file.id}`)).rejects.toThrow()
    await waitFor(() => JSON.stringify(t.lines).includes(message), { what: 'it to be told' })
  })
})

describe('GET /api/public/vaults/:userId/:vaultSlug', () => {
  it('lists readable files in pages, with public fields only', async () => {
    const client = clientOf(t)
    const vault = await client.createVault('Trip', 'public')
    const files = []
    for (const name of ['a', 'b', 'c']) files.push(await client.hotFile(name, { name, vaultId: vault.id }))
    await client.requestUpload({ vaultId: vault.id, sizeBytes: 1 })
    const trashed = await client.hotFile('d', { vaultId: vault.id })
    await update(trashed.id, 'deleted_at = now()')
    await makeCold(t, files[0].id)
    await update(files[1].id, 'evicting_at = now()')

    const path = `/api/public/vaults/${client.accountId}/trip?sortBy=name&order=asc&limit=2`
    const first = await visit(path)
    expect(first.status).toBe(200)
    expect(first.body.vault).toEqual({ id: vault.id, name: 'Trip', description: '', slug: 'trip' })
    const second = await visit(`${path}&cursor=${first.body.nextCursor}`)
    const listed = [...first.body.files, ...second.body.files]
    expect(listed.map(({ name, status }) => [name, status])).toEqual([
      ['a', 'cold'],
      ['b', 'hot'],
      ['c', 'hot'],
    ])
    expect(second.body.nextCursor).toBeNull()
    expect(Object.keys(listed[0]).toSorted()).toEqual([
      'checksumSha256',
      'createdAt',
      'id',
      'metadata',
      'mimeType',
      'name',
      'path',
      'sizeBytes',
      'status',
      'storageNetworkBlobId',
      'tags',
      'vaultId',
    ])
    expect((await visit(`/api/public/vaults/${client.accountId}/default`)).body.files).toEqual([])
    expect((await visit(`/api/public/vaults/${client.accountId}/default?cursor=${first.body.nextCursor}`)).status).toBe(
      400,
    )
  })
})
