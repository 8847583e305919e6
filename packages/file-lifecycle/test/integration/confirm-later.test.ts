import { connectNats } from '@tideport/service-kit/nats/nats'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import type { FileRow } from '../../src/state/tables.ts'
import { expireUploads } from '../../src/upload/clean-up-uploads.ts'
import { confirmUploads } from '../../src/upload/confirm-later.ts'
import { recordUploadId } from '../../src/upload/upload-urls.ts'
import { openJobQueue } from '../../src/work/job-queue.ts'
import { log, must, never } from '../bundle.ts'
import { setupPurging } from '../purging.ts'

const t = setUpOnce(setupClock)

const lives = { settleSeconds: 3600, trashRetentionSeconds: 60, confirmLostSeconds: 900 }
const MIB = 1024 ** 2

async function setupClock() {
  const stack = new AsyncDisposableStack()
  const t = stack.use(await setupPurging())
  const nats = stack.use(connectNats({ natsUrl: ['nats://127.0.0.1:9'], name: 'test', log }))
  const jobs = openJobQueue({ nats, log, metrics: createMetrics('test') })
  const deps = { ...t, ...lives, jobs, relay: { wake: () => {} }, log }

  const putParts = async ({ uploadKey: key, uploadId, mimeType, updatedAt: signedAt }: FileRow, parts: string[]) => {
    for (const [index, body] of parts.entries()) {
      if (body === '') continue
      const sizeBytes = Buffer.byteLength(body)
      const part = { key, uploadId: must(uploadId), partNumber: index + 1, mimeType, sizeBytes }
      const url = await t.hotTier.presignPart({ ...part, expiresSeconds: 900, signedAt })
      expect((await t.put(url, body)).status).toBe(200)
    }
  }

  return Object.assign(t, {
    /** An upload right after its request. */
    async open(wanted: Parameters<typeof t.request>[0] = {}): Promise<FileRow> {
      const created = must(await t.request({ autoConfirm: true, ...wanted }))
      if (created.uploadForm !== 'parts') return created
      const uploadId = await t.hotTier.beginUpload(created.uploadKey, created.mimeType)
      return must(await recordUploadId(t.writes, created, { uploadId, urlSeconds: 900, settleSeconds: 60 }))
    },
    putParts,
    putWhole: async ({ uploadKey, mimeType }: FileRow, body: string) => {
      const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(body))).toString('hex')
      await t.hotTier.putWhole(uploadKey, mimeType, { pieces: [Buffer.from(body)], sizeBytes: body.length, sha256 })
    },
    look: () => confirmUploads(deps, never),
    due: (file: FileRow) => t.assign(file.id, 'confirm_due_at = now()'),
    expire: () => expireUploads({ ...deps }, never),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}

describe('uploads whose client does not return', () => {
  it('become hot in every form of upload once all bytes exist, if their request allows it', async () => {
    const plain = await t.open()
    await t.putParts(plain, ['hello'])
    const parts = await t.open({ sizeBytes: 5 * MIB + 3, partSizeBytes: 5 * MIB })
    await t.putParts(parts, ['x'.repeat(5 * MIB), ''])
    const once = await t.open({ form: 'once' })
    await t.putWhole(once, 'hello')
    const direct = await t.open({ form: 'direct' })
    await t.putWhole(direct, 'hello')
    const unasked = await t.open({ autoConfirm: false })
    await t.putParts(unasked, ['hello'])
    const all = [plain, parts, once, direct, unasked]
    const statuses = async () => await Promise.all(all.map(async ({ id }) => (await t.read(id)).status))

    await t.look()
    expect(await statuses()).toEqual(all.map(() => 'uploading'))
    for (const file of [plain, parts, once, direct]) await t.due(file)
    await t.look()
    expect(await statuses()).toEqual(['hot', 'uploading', 'hot', 'hot', 'uploading'])
    const { confirmDueAt, claimedUntil } = await t.read(parts.id)
    expect(must(confirmDueAt).getTime()).toBeGreaterThan(Date.now() + 30_000)
    expect(claimedUntil).toBeNull()

    await t.putParts(parts, ['', 'end'])
    await t.due(parts)
    await t.look()
    expect(await statuses()).toEqual(['hot', 'hot', 'hot', 'hot', 'uploading'])
    const told = await t.database.sql<{ actor: { method: string } }>(`select actor from event where type = 'file.hot'`)
    expect(told.map(({ actor }) => actor.method)).toEqual(['system', 'system', 'system', 'system'])
    expect(await t.account()).toMatchObject({ open_uploads: '1', file_count: '5' })
  })

  it('are checked again when they expire, and are purged if no bytes exist', async () => {
    const [there, empty, wrong] = [await t.open(), await t.open({ form: 'once' }), await t.open({ form: 'direct' })]
    await t.putParts(there, ['hello'])
    await t.putWhole(wrong, 'too long')
    for (const { id } of [there, empty, wrong]) await t.assign(id, 'upload_expires_at = now(), confirm_due_at = now()')
    await t.expire()
    expect(await t.account()).toMatchObject({ open_uploads: '3' })
    await t.look()
    expect((await t.read(there.id)).status).toBe('hot')
    for (const { id } of [empty, wrong]) expect((await t.read(id)).purgingAt).not.toBeNull()
    expect(await t.account()).toMatchObject({ open_uploads: '0', file_count: '1' })
  })

  it('wait while another file has their exclusive path, and send one event when two processes check them', async () => {
    const occupant = await t.hotFile()
    const refused = await t.open({ onConflict: 'fail' })
    const others = await Promise.all(Array.from({ length: 12 }, () => t.open({ form: 'once' })))
    await t.putParts(refused, ['hello'])
    for (const file of others) await t.putWhole(file, 'hello')
    await t.database.sql('update file set confirm_due_at = now() where confirm_due_at is not null')
    await Promise.all([t.look(), t.look()])
    expect(await t.read(refused.id)).toMatchObject({ status: 'uploading', completingAt: null })
    for (const { id } of others) expect(await t.events(id)).toEqual(['file.hot'])
    await t.trash(occupant)
    for (const { id } of others) await t.assign(id, `name = 'elsewhere.png'`)
    await t.due(refused)
    await t.look()
    expect((await t.read(refused.id)).status).toBe('hot')
  })
})
