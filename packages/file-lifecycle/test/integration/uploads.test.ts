import { setUpOnce } from '@tideport/testing/set-up-once'
import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { purgeUnfinished } from '../../src/removal/purge.ts'
import { reloadFile } from '../../src/state/queries.ts'
import type { FilesDb } from '../../src/state/tables.ts'
import { markHot } from '../../src/state/transitions.ts'
import { alone } from '../../src/state/writes.ts'
import { beginCompleting, recordUrl, reopenUpload } from '../../src/upload/upload-urls.ts'
import { must, names, setup } from '../bundle.ts'

const t = setUpOnce(setup)

describe('reopenUpload', () => {
  it('reopens the upload for the completion that noticed the change, not for an earlier one', async () => {
    const { file } = await t.begin(5)
    const completing = { settleSeconds: 60, lostSeconds: 900 }
    const first = must(await beginCompleting(t.writes, file, completing))
    await reopenUpload(t.db, first.file)
    expect((await reloadFile(t.db, file.id))?.completingAt).toBeNull()
    must(await beginCompleting(t.writes, must(await reloadFile(t.db, file.id)), completing))
    await t.database.sql(`update file set completing_at = completing_at + interval '1 second'`)
    await reopenUpload(t.db, first.file)
    expect((await reloadFile(t.db, file.id))?.completingAt).not.toBeNull()
  })
})

describe('beginCompleting', () => {
  const completing = { settleSeconds: 60, lostSeconds: 900 }

  it('writes no index of the table file', async () => {
    const { file } = await t.begin(5)
    const { before, after } = await t.db.transaction().execute(async (trx) => {
      const read = async () => {
        const { rows } = await sql<{ updates: number; hot: number }>`
          select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_xact_user_tables
          where relname = 'file' and schemaname = 'files'`.execute(trx)
        return must(rows[0])
      }
      const before = await read()
      must(await beginCompleting(alone(trx), file, completing))
      return { before, after: await read() }
    })
    expect(after).toEqual({ updates: before.updates + 1, hot: before.hot + 1 })
  })

  it('does not wait for the disk, unlike the writes before and after it', async () => {
    const { file } = await t.begin(5)
    const settingAfter = (act: (trx: Kysely<FilesDb>) => Promise<unknown>) =>
      t.db.transaction().execute(async (trx) => {
        must(await act(trx))
        return (await sql<{ synchronousCommit: string }>`show synchronous_commit`.execute(trx)).rows[0]
      })
    const url = { urlSeconds: 900, settleSeconds: 60 }
    expect(await settingAfter((trx) => recordUrl(trx, file.id, url))).toEqual({ synchronousCommit: 'on' })
    const open = must(await reloadFile(t.db, file.id))
    expect(await settingAfter((trx) => beginCompleting(alone(trx), open, completing))).toEqual({
      synchronousCommit: 'off',
    })
    const begun = must(await reloadFile(t.db, file.id))
    expect(await settingAfter((trx) => markHot(alone(trx), begun, names))).toEqual({ synchronousCommit: 'on' })
  })

  it('is recorded until it finishes in any way', async () => {
    const noted = async () => (await t.database.sql('select file_id from completing')).map((row) => row['file_id'])
    const begin = async () => {
      const { file } = await t.begin(5)
      return must(await beginCompleting(t.writes, file, completing)).file
    }
    const [confirmed, reopened, purged, open] = [await begin(), await begin(), await begin(), await begin()]
    expect((await noted()).toSorted()).toEqual([confirmed.id, reopened.id, purged.id, open.id])
    must(await markHot(t.writes, confirmed, names))
    await reopenUpload(t.db, reopened)
    await t.database.sql(
      `update file set upload_expires_at = now(), completing_at = now() - interval '1 hour' where id = $1`,
      [purged.id],
    )
    must(await purgeUnfinished(t.db, purged.id, { settleSeconds: 60, lostSeconds: 900, networks: names }))
    expect(await noted()).toEqual([open.id])
  })
})
