import { anyEvent, eventMessages } from '@tideport/contracts/internal/messages'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { abortUpload, purgeTrash } from '../../src/removal/purge.ts'
import { purgeVault } from '../../src/removal/trash-vault.ts'
import { appendEvents, timelinePayload } from '../../src/state/append-event.ts'
import { blobIdOf } from '../../src/state/file-copies.ts'
import { must, names, never } from '../bundle.ts'
import { type PurgingBundle, setupPurging } from '../purging.ts'

const t = setUpOnce(setupPurging)

const settle = { settleSeconds: 3600, networks: names }

/** The published events of a subject, oldest first, each checked against its schema. */
async function newsOf(t: PurgingBundle, subjectId: string) {
  const rows = await t.database.sql<{ type: keyof typeof eventMessages; message: unknown }>(
    `select type, jsonb_build_object('eventId', id, 'accountId', account_id, 'payload', payload) as message
     from event where subject_id = $1 and is_public order by at, id`,
    [subjectId],
  )
  return rows.map(({ type, message }) => {
    expect(eventMessages[type].schema.parse(message)).toEqual(message)
    const { accountId, payload } = anyEvent.schema.parse(message)
    expect([accountId, payload.event]).toEqual([t.accountId, type])
    return payload
  })
}

const typesOf = async (t: PurgingBundle, subjectId: string) => (await newsOf(t, subjectId)).map(({ event }) => event)

describe('an event of a file', () => {
  it('has the blob ID of the most preferred copy, regardless of the order of stores', async () => {
    await using t = await setupPurging(['lake', 'attic'])
    const { id } = await t.hotFile()
    for (const name of ['attic', 'lake']) await t.store({ id }, name)
    await t.database.sql(`update copy set blob_id = 'of-' || network where file_id = $1`, [id])
    const file = await t.read(id)
    const { copies } = await t.found(id)
    const shown = blobIdOf(copies, t.networks.order)
    expect(shown).toBe('of-lake')
    await t.trash(file)
    await t.restore(file)
    await t.beginPurge(file)
    const told = (await newsOf(t, id)).slice(-3).map(({ event, data }) => [event, data])
    expect(told).toEqual(
      ['file.deleted', 'file.restored', 'file.purged'].map((event) => [
        event,
        expect.objectContaining({ storageNetworkBlobId: shown }),
      ]),
    )
  })

  it('is not sent for an upload, which was never announced', async () => {
    const { file } = await t.begin(5)
    must(await abortUpload(t.db, { fileId: file.id, accountId: t.accountId }, settle))
    expect(await typesOf(t, file.id)).toEqual([])
  })

  it('is sent for each of many files that one statement purges, each with its own ID', async () => {
    const files = await Promise.all([1, 2, 3, 4, 5].map(() => t.hotFile()))
    for (const file of files) await t.trash(file)
    await purgeTrash(t.db, t.accountId, settle, null)
    for (const { id } of files) expect(await typesOf(t, id)).toEqual(['file.hot', 'file.deleted', 'file.purged'])
  })
})

describe('an event of a vault', () => {
  it('outlives its vault for as long as the broker could lose it or the audit log shows it', async () => {
    await t.trashVault(t.vaultId)
    await sql`update vault set purging_at = now()`.execute(t.db)
    expect(
      await purgeVault(t.db, t.vaultId, { ...settle, eventsMaxAgeSeconds: 60, auditRetentionSeconds: 90 }, never),
    ).toBe('gone')
    const [event] = await t.database.sql(`select extract(epoch from expires_at - at)::int as seconds from event`)
    expect(event).toEqual({ seconds: 90 })
  })
})

it('a thousand events of one statement have unique IDs in the order of their rows', async () => {
  const rows = sql`(select gen_random_uuid() as id, ${t.accountId}::uuid as account_id, n from generate_series(1, 1000) n) as made`
  const payload = timelinePayload({})
  await appendEvents({ kind: 'file', type: 'sync.failed', payload, from: rows }).execute(t.db)
  const [seen] = await t.database.sql(
    'select count(distinct id)::int as ids, bool_or(is_public) as is_public from event',
  )
  expect(seen).toEqual({ ids: 1000, is_public: false })
})
