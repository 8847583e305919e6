import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { naughtyNames } from './support/naughty-names.ts'
import { readDisposition } from './support/read-disposition.ts'
import { downloadBytes, fetchBytes, publicFileUrl } from './support/reading.ts'
import type { ErrorBody, Upload } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { readFile, requestUpload, uniqueBytes, uploadFile } from './support/uploads.ts'

async function openVault() {
  const client = freshAccount()
  const { id: vaultId } = await createVault(client, 'public')
  const fields = { name: 'report.pdf', mimeType: 'application/pdf', sizeBytes: 10, vaultId }
  const request = (more: object) => client.post<Upload & ErrorBody>('/api/files/upload', { ...fields, ...more })
  return { client, vaultId, fields, request }
}

test('requesting an upload answers fileId and uploadUrl and creates the record in uploading', async () => {
  const { client, fields, request } = await openVault()
  const { status, body } = await request({})
  expect([status, body]).toMatchObject([201, { fileId: expect.any(String), uploadUrl: expect.stringMatching(/^http/) }])
  expect(await readFile(client, body.fileId)).toMatchObject({ id: body.fileId, ...fields, status: 'uploading' })
})

test.each<[string, unknown[]]>([
  ['name', [undefined, null, '', 7, 'a/b', 'a\\b', 'a\nb', 'a\u0000', 'x'.repeat(256), `${'🗂'.repeat(255)}x`]],
  [
    'mimeType',
    [undefined, '', 'text', 'text/', '/plain', 'text/plain\r\nX-Evil: 1', 'text/plain; charset', 'text/ü', 7],
  ],
  ['sizeBytes', [undefined, null, -1, 1.5, '10', 2 ** 53 + 2, true]],
  ['checksumSha256', ['', 'abc', 'g'.repeat(64), 7]],
])('an upload with a wrong %s is refused with 400', async (field, values) => {
  const { client, request } = await openVault()
  for (const value of values) {
    const { status, body } = await request({ [field]: value })
    expect([status, body.code], JSON.stringify(value)).toEqual([400, 'validation_failed'])
  }
  expect((await client.get<{ files: [] }>('/api/files')).body.files).toEqual([])
})

test('an upload larger than one PUT may be is 413', async () => {
  const { request } = await openVault()
  const tooLarge = await request({ sizeBytes: 5 * 2 ** 30 + 1 })
  expect([tooLarge.status, tooLarge.body.code]).toEqual([413, 'too_large'])
  expect((await request({ sizeBytes: 5 * 2 ** 30 })).status).toBe(201)
})

test('an upload to a vault that does not exist is 404', async () => {
  const { request } = await openVault()
  for (const vaultId of [crypto.randomUUID(), 'nowhere', ''])
    expect((await request({ vaultId })).status, vaultId).toBe(404)
})

test('an account has at most 100 uploads open at once', async () => {
  const { request } = await openVault()
  const requestAtOnce = (count: number) => Promise.all(Array.from({ length: count }, () => request({})))
  for (let open = 0; open < 90; open += 10) await requestAtOnce(10)
  const answers = await requestAtOnce(13)
  const statuses = answers.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array(10).fill(201), 429, 429, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect([refused?.body.code, refused?.body.details]).toEqual(['too_many_open_uploads', { openUploadsMax: 100 }])
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('names of every kind are stored and returned as they were sent, composed, and make no broken header', async () => {
  const { client, vaultId } = await openVault()
  await Promise.all(
    naughtyNames.map(async (sent) => {
      const name = sent.normalize('NFC')
      const { id } = await uploadFile(client, { vaultId, bytes: uniqueBytes(3), name: sent, mimeType: 'text/plain' })
      expect((await readFile(client, id)).name).toBe(name)
      for (const { status, headers } of [
        await fetchBytes(publicFileUrl(client, id)),
        await downloadBytes(client, id),
      ]) {
        const disposition = headers.get('content-disposition') ?? ''
        expect(disposition, name).toMatch(/^inline; [\x20-\x7e]+$/)
        expect([status, await readDisposition(disposition)], name).toEqual([200, { type: 'inline', name }])
      }
    }),
  )
})

test('the type of an upload is kept exactly, parameters included', async () => {
  const { client, vaultId } = await openVault()
  for (const mimeType of [
    'text/plain; charset=utf-8',
    'application/vnd.oasis.opendocument.text',
    'image/svg+xml',
    'x-a/x-b;c="d e"',
  ]) {
    const { fileId } = await requestUpload(client, { vaultId, bytes: uniqueBytes(), mimeType })
    expect((await readFile(client, fileId)).mimeType).toBe(mimeType)
  }
})
