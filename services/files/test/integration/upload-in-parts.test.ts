import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, put } from '../client.ts'
import { issueExpiredUrls } from '../expired-urls.ts'

const MIB = 1024 ** 2
const partSizeBytes = 5 * MIB
const bytes = Buffer.alloc(11 * MIB, 'tideport ')
  .fill('second', partSizeBytes, 2 * partSizeBytes)
  .fill('3', 2 * partSizeBytes)

const t = sharedBundle({ env: { MAX_PUT_BYTES: `${6 * MIB}` } })

interface Part {
  partNumber: number
  uploadUrl: string
  offsetBytes: number
  sizeBytes: number
}

const bytesOf = ({ offsetBytes, sizeBytes }: Part) => bytes.subarray(offsetBytes, offsetBytes + sizeBytes)

async function openUpload() {
  const client = clientOf(t)
  const vaultId = await client.defaultVault()
  const answer = await client.requestUpload({ vaultId, sizeBytes: bytes.length, partSizeBytes })
  expect(answer.status).toBe(201)
  const { fileId, headers, parts } = answer.body as { fileId: string; headers: Record<string, string>; parts: Part[] }
  const path = `/api/files/${fileId}`
  return {
    ...client,
    answer,
    fileId,
    parts,
    /** A store that rejects a PUT may close the connection before it has read the body. */
    putPart: (part: Part, body = bytesOf(part)) =>
      put({ ...part, headers }, body).then(
        ({ status }) => (status === 200 ? 'stored' : 'refused'),
        () => 'refused',
      ),
    arrived: async () => (await client.call('GET', `${path}/parts`)).body,
    freshUrls: (partNumbers: number[]) => client.call('POST', `${path}/upload-urls`, { json: { partNumbers } }),
    confirm: () => client.call('POST', `${path}/confirm`),
    async stored() {
      const { downloadUrl } = (await client.call('GET', `${path}/download`)).body
      return Buffer.from(await (await fetch(downloadUrl)).arrayBuffer())
    },
  }
}

describe('an upload in parts', () => {
  it('accepts more bytes than one PUT may have, with parallel and repeated parts', async () => {
    const upload = await openUpload()
    expect(upload.answer.body.uploadUrl).toBe(upload.parts[0]?.uploadUrl)
    expect(upload.parts.map(({ partNumber, offsetBytes, sizeBytes }) => [partNumber, offsetBytes, sizeBytes])).toEqual([
      [1, 0, partSizeBytes],
      [2, partSizeBytes, partSizeBytes],
      [3, 2 * partSizeBytes, MIB],
    ])
    const [first] = upload.parts
    if (first === undefined) throw new Error('No part')
    expect(await upload.putPart(first, Buffer.alloc(partSizeBytes, 'x'))).toBe('stored')
    expect(await Promise.all(upload.parts.map((part) => upload.putPart(part)))).toEqual(['stored', 'stored', 'stored'])
    expect(await upload.confirm()).toMatchObject({ status: 200, body: { status: 'hot', sizeBytes: bytes.length } })
    expect((await upload.stored()).equals(bytes)).toBe(true)
  })

  it('resumes after an interruption, even with expired URLs', async () => {
    const upload = await openUpload()
    const [first] = upload.parts
    if (first === undefined) throw new Error('No parts')
    expect(await upload.putPart(first)).toBe('stored')
    {
      using _expired = issueExpiredUrls(t)
      const { body } = await upload.freshUrls([2])
      expect(await upload.putPart(body.parts[0])).toBe('refused')
    }
    expect(await upload.arrived()).toEqual({
      partSizeBytes,
      partCount: 3,
      parts: [{ partNumber: 1, sizeBytes: partSizeBytes }],
    })
    expect(await upload.confirm()).toMatchObject({ status: 409, body: { code: 'upload_incomplete' } })
    const fresh = await upload.freshUrls([2, 3])
    expect(fresh.body).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'image/png' } })
    for (const part of fresh.body.parts) expect(await upload.putPart(part)).toBe('stored')
    expect((await upload.confirm()).body.status).toBe('hot')
    expect((await upload.stored()).equals(bytes)).toBe(true)
  })

  it('accepts each part only with its exact size, and stays open until all parts have arrived', async () => {
    const upload = await openUpload()
    const [first, , last] = upload.parts
    if (first === undefined || last === undefined) throw new Error('No parts')
    expect(await upload.putPart(last, Buffer.alloc(partSizeBytes))).toBe('refused')
    expect(await upload.putPart(last)).toBe('stored')
    expect(await upload.confirm()).toMatchObject({ status: 409, body: { code: 'upload_incomplete' } })
    expect((await upload.call('GET', `/api/files/${upload.fileId}`)).body.status).toBe('uploading')
  })

  it('returns URLs for 1,000 parts in one response, and for more parts on request', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const { body } = await client.requestUpload({ vaultId, sizeBytes: 1001 * partSizeBytes + 1, partSizeBytes })
    expect(body.parts).toHaveLength(1000)
    const path = `/api/files/${body.fileId}/upload-urls`
    const rest = await client.call('POST', path, { json: { partNumbers: [1002, 1001, 1002] } })
    expect(rest.body.parts).toMatchObject([
      { partNumber: 1002, offsetBytes: 1001 * partSizeBytes, sizeBytes: 1 },
      { partNumber: 1001, sizeBytes: partSizeBytes },
    ])
    for (const partNumbers of [[1003], [0], [], [1.5], Array(1001).fill(1)]) {
      expect((await client.call('POST', path, { json: { partNumbers } })).status).toBe(400)
    }
  })

  it('is rejected for sizes that cannot be stored', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const ask = async (sizeBytes: number, size: number) => {
      const { status, body } = await client.requestUpload({ vaultId, sizeBytes, partSizeBytes: size })
      return [status, body.code]
    }
    expect(await ask(10 * MIB, partSizeBytes - 1)).toEqual([400, 'validation_failed'])
    expect(await ask(10 * MIB, 5 * 1024 * MIB + 1)).toEqual([400, 'validation_failed'])
    expect(await ask(10_000 * partSizeBytes + 1, partSizeBytes)).toEqual([400, 'validation_failed'])
    expect(await ask(51 * 1024 * MIB, 6 * MIB)).toEqual([413, 'too_large'])
    expect(await ask(20 * MIB, 7 * MIB)).toEqual([413, 'too_large'])
    expect((await ask(6 * MIB, 5 * 1024 * MIB))[0]).toBe(201)
    expect((await client.requestUpload({ vaultId, sizeBytes: 7 * MIB })).status).toBe(413)
  })
})

describe('POST /api/files/:fileId/upload-urls', () => {
  it('treats an upload in one PUT as part 1, and postpones the cleanup of the upload', async () => {
    const client = clientOf(t)
    const { body } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
    const path = `/api/files/${body.fileId}`
    await t.database.sql(`update file set cleanup_after = now() where id = $1`, [body.fileId])
    const fresh = await client.call('POST', `${path}/upload-urls`, { json: { partNumbers: [1] } })
    const [row] = await t.database.sql<{ left: number }>(
      'select extract(epoch from cleanup_after - now())::float8 as left from file where id = $1',
      [body.fileId],
    )
    expect(row?.left).toBeGreaterThan(t.config.uploadUrlSeconds + t.config.settleSeconds - 60)
    expect((await put({ ...fresh.body.parts[0], headers: fresh.body.headers }, 'hello')).status).toBe(200)
    expect((await client.call('GET', `${path}/parts`)).body).toEqual({
      partSizeBytes: null,
      partCount: 1,
      parts: [{ partNumber: 1, sizeBytes: 5 }],
    })
    expect((await client.call('POST', `${path}/confirm`)).body.status).toBe('hot')
  })

  it('returns 409 during and after the confirm, like the list of parts', async () => {
    const client = clientOf(t)
    const { body } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
    const hot = await client.hotFile('hello')
    await t.database.sql('update file set completing_at = now() where id = $1', [body.fileId])
    for (const [id, code] of [
      [body.fileId, 'upload_in_progress'],
      [hot.id, 'state_conflict'],
    ]) {
      const urls = await client.call('POST', `/api/files/${id}/upload-urls`, { json: { partNumbers: [1] } })
      expect(urls).toMatchObject({ status: 409, body: { code } })
      expect(await client.call('GET', `/api/files/${id}/parts`)).toMatchObject({ status: 409, body: { code } })
    }
  })
})
