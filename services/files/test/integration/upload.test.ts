import { armFailpoints } from '@tideport/service-kit/process/failpoint'
import { createFailpoints } from '@tideport/testing/failpoints'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { setup, sharedBundle } from '../bundle.ts'
import { clientOf, encryption, put } from '../client.ts'
import { issueExpiredUrls } from '../expired-urls.ts'

const t = sharedBundle()

const countFiles = async (accountId: string) =>
  Number((await t.database.sql('select count(*) from file where account_id = $1', [accountId]))[0]?.count)

describe('POST /api/files/upload', () => {
  it('returns a file in uploading, and a URL with its method, headers, and expiry', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const { status, body } = await client.requestUpload({ vaultId, sizeBytes: 3 })
    expect(status).toBe(201)
    expect(body).toEqual({
      fileId: expect.any(String),
      uploadUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//),
      method: 'PUT',
      headers: { 'Content-Type': 'image/png' },
      expiresAt: expect.any(String),
    })
    const file = (await client.call('GET', `/api/files/${body.fileId}`)).body
    // The URL is signed at this time, which may be a second after `createdAt`.
    const [row] = await t.database.sql<{ updated_at: Date }>('select updated_at from file where id = $1', [body.fileId])
    const end = Math.floor(Number(row?.updated_at) / 1000) + t.config.uploadUrlSeconds
    expect(Date.parse(body.expiresAt)).toBe(end * 1000)
    expect(file).toMatchObject({ id: body.fileId, status: 'uploading', vaultId, confirmedAt: null, inHotCache: false })
  })

  it('records which uploads must be confirmed without their client, for both upload methods', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const dueOf = async (id: string) =>
      (await t.database.sql('select confirm_due_at from file where id = $1', [id]))[0]?.confirm_due_at
    const asked = await client.requestUpload({ vaultId, sizeBytes: 3, autoConfirm: true })
    expect(await dueOf(asked.body.fileId)).toBeInstanceOf(Date)
    for (const fields of [{}, { autoConfirm: false }, { autoConfirm: null }]) {
      const { body } = await client.requestUpload({ vaultId, sizeBytes: 3, ...fields })
      expect(await dueOf(body.fileId)).toBeNull()
    }
    const content = await client.call('PUT', `/api/vaults/${vaultId}/content/a.txt?autoConfirm=true`)
    expect(content).toMatchObject({ status: 201, body: { status: 'hot' } })
    expect(await dueOf(content.body.id)).toBeInstanceOf(Date)
    expect((await client.requestUpload({ vaultId, sizeBytes: 3, autoConfirm: 'yes' })).status).toBe(400)
  })

  it('returns the same 404 for a foreign, missing, or malformed vault, and creates nothing', async () => {
    const client = clientOf(t)
    const foreign = await clientOf(t).defaultVault()
    for (const vaultId of [foreign, '01890a5d-ac96-774b-bcce-b302099a8057', 'nonsense', '']) {
      const answer = await client.requestUpload({ vaultId, sizeBytes: 3 })
      expect(answer).toMatchObject({ status: 404, body: { error: 'Not found', code: 'not_found' } })
    }
    expect(await countFiles(client.accountId)).toBe(0)
  })

  it('requires all four encryption fields in a private vault and none in a public vault', async () => {
    const client = clientOf(t)
    const publicVault = await client.defaultVault()
    const { id: privateVault } = await client.createVault('Secrets', 'private')
    const pathsOf = (body: { details: { issues: { path: string }[] } }) => body.details.issues.map(({ path }) => path)
    for (const missing of Object.keys(encryption)) {
      const fields = { ...encryption, [missing]: null }
      const answer = await client.requestUpload({ vaultId: privateVault, sizeBytes: 3, ...fields })
      expect([answer.status, pathsOf(answer.body)]).toEqual([400, [missing]])
      const sent = { [missing]: encryption[missing as keyof typeof encryption] }
      const other = await client.requestUpload({ vaultId: publicVault, sizeBytes: 3, ...sent })
      expect([other.status, pathsOf(other.body)]).toEqual([400, [missing]])
    }
    const negative = { ...encryption, plaintextSizeBytes: -1 }
    expect((await client.requestUpload({ vaultId: privateVault, sizeBytes: 3, ...negative })).status).toBe(400)
    expect(await countFiles(client.accountId)).toBe(0)

    const file = await client.hotFile('enc', { vaultId: privateVault, ...encryption })
    expect(file).toMatchObject({ status: 'hot', ...encryption })
  })

  it('returns different errors for a file that is too large, a full quota, and too many open uploads', async () => {
    await using small = await setup({
      env: { MAX_PUT_BYTES: '8', ACCOUNT_QUOTA_BYTES: '10', OPEN_UPLOADS_MAX: '2' },
    })
    const client = clientOf(small)
    const vaultId = await client.defaultVault()
    const ask = (sizeBytes: number) => client.requestUpload({ vaultId, sizeBytes })
    expect(await ask(9)).toMatchObject({ status: 413, body: { code: 'too_large', details: { maxSizeBytes: 8 } } })
    expect((await ask(8)).status).toBe(201)
    const details = { quotaBytes: 10, storageBytes: 8 }
    expect(await ask(3)).toMatchObject({ status: 403, body: { code: 'quota_exceeded', details } })
    expect((await ask(2)).status).toBe(201)
    const third = await ask(0)
    expect(third).toMatchObject({
      status: 429,
      body: { code: 'too_many_open_uploads', details: { openUploadsMax: 2 } },
    })
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    const { usage } = (await client.call('GET', '/api/account')).body
    expect(usage).toEqual({ storageBytes: 10, hotBytes: 0, fileCount: 2, vaultCount: 1, networks: [] })
  })
})

describe('the upload URL', () => {
  it('rejects any other length, type, signature, or method, and the file stays in uploading', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const [{ body }, { body: other }] = [
      await client.requestUpload({ vaultId, sizeBytes: 5 }),
      await client.requestUpload({ vaultId, sizeBytes: 5 }),
    ]
    const ofOther = new URL(other.uploadUrl).pathname + new URL(body.uploadUrl).search
    const tampered = body.uploadUrl.replace(/(X-Amz-Signature=)(.)/, (_: string, name: string, digit: string) =>
      name.concat(digit === '0' ? '1' : '0'),
    )
    const attempts = [
      put(body, 'longer than that'),
      put(body, 'shrt'),
      put(body, ''),
      put({ ...body, headers: { 'Content-Type': 'text/html' } }, 'hello'),
      put({ ...body, uploadUrl: tampered }, 'hello'),
      put({ ...body, uploadUrl: new URL(ofOther, body.uploadUrl).href }, 'hello'),
      put({ ...body, uploadUrl: body.uploadUrl.replace(/\?.*/, '') }, 'hello'),
      fetch(body.uploadUrl, {
        method: 'PUT',
        headers: body.headers,
        body: new Blob(['hello']).stream(),
        duplex: 'half',
      } as RequestInit),
      fetch(body.uploadUrl),
    ]
    for (const attempt of await Promise.all(attempts)) expect(attempt.status).toBeGreaterThanOrEqual(400)
    const confirm = await client.call('POST', `/api/files/${body.fileId}/confirm`)
    expect(confirm).toMatchObject({ status: 409, body: { code: 'upload_incomplete' } })
    expect((await client.call('GET', `/api/files/${body.fileId}`)).body.status).toBe('uploading')
    expect((await put(body, 'hello')).status).toBe(200)
    expect((await client.call('POST', `/api/files/${body.fileId}/confirm`)).body.status).toBe('hot')
  })

  it('is rejected after it expires, but bytes that arrived in time can still be confirmed', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const { body: inTime } = await client.requestUpload({ vaultId, sizeBytes: 5 })
    expect((await put(inTime, 'hello')).status).toBe(200)
    using _expired = issueExpiredUrls(t)
    const { body: late } = await client.requestUpload({ vaultId, sizeBytes: 5 })
    expect((await put(late, 'HELLO')).status).toBe(403)
    const confirm = (fileId: string) => client.call('POST', `/api/files/${fileId}/confirm`)
    expect(await confirm(late.fileId)).toMatchObject({ status: 409, body: { code: 'upload_incomplete' } })
    const signedLongAgo = `update file set updated_at = now() - interval '1 day' where id = $1`
    await t.database.sql(signedLongAgo, [inTime.fileId])
    expect((await confirm(inTime.fileId)).body.status).toBe('hot')
    const { downloadUrl } = (await client.call('GET', `/api/files/${inTime.fileId}/download`)).body
    expect(await (await fetch(downloadUrl)).text()).toBe('hello')
  })
})

describe('POST /api/files/:fileId/confirm', () => {
  it('returns a hot file to fifty concurrent requests, with one event and one job', async () => {
    await using nats = await startNats()
    await using online = await setup({ env: { NATS_URL: nats.url } })
    await online.nats.connected(AbortSignal.timeout(60_000))
    const client = clientOf(online)
    const { body } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
    await put(body, 'hello')
    const path = `/api/files/${body.fileId}/confirm`
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.call('POST', path)))
    expect(answers.map(({ status, body: file }) => [status, file.status])).toEqual(Array(50).fill([200, 'hot']))

    const events = await online.database.sql('select type from event where subject_id = $1', [body.fileId])
    expect(events).toEqual([{ type: 'file.hot' }])
    const manager = await online.nats.jetstream().jetstreamManager()
    const inStream = async (name: string) => (await manager.streams.info(name)).state.messages
    // The other event is the creation of the default vault.
    await waitFor(async () => (await inStream('JOBS')) === 1 && (await inStream('EVENTS')) === 2)
    const { usage } = (await client.call('GET', '/api/account')).body
    expect(usage).toMatchObject({ storageBytes: 5, hotBytes: 5, fileCount: 1 })
  })

  it('returns confirm_in_progress immediately when the process stops, and changes nothing', async () => {
    await using failpoints = await createFailpoints()
    armFailpoints(failpoints.directory)
    const stopping = await setup()
    try {
      const client = clientOf(stopping)
      const { body } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
      await put(body, 'hello')
      await failpoints.pause('confirm.before-complete')
      const answer = client.call('POST', `/api/files/${body.fileId}/confirm`)
      const row = async () => (await stopping.database.sql('select * from file where id = $1', [body.fileId]))[0]
      await waitFor(async () => (await row())?.completing_at)
      stopping.stop()
      await failpoints.release('confirm.before-complete')
      const { status, headers, body: error } = await answer
      expect([status, error.code]).toEqual([503, 'confirm_in_progress'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await row())?.status).toBe('uploading')
    } finally {
      await failpoints.release('confirm.before-complete')
      await stopping[Symbol.asyncDispose]()
    }
  })
})
