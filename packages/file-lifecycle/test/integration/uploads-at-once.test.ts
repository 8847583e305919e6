import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import type { FileRow, UploadForm } from '../../src/state/tables.ts'
import { markHot } from '../../src/state/transitions.ts'
import { createUpload, creation, type NewUpload } from '../../src/upload/create-upload.ts'
import { beginCompleting, recordUploadId } from '../../src/upload/upload-urls.ts'
import { must, names, setup } from '../bundle.ts'

const t = setUpOnce(open)

const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
const lives = { settleSeconds: 60, lostSeconds: 900 }

async function open() {
  const t = await setup()
  const fields = {
    name: 'cat.png',
    mimeType: 'image/png',
    encryption: null,
    checksumDeclared: null,
    partSizeBytes: null,
  }
  const limits = { expirySeconds: 3600, quotaBytes: 0, openUploadsMax: 100 }
  const owner = { accountId: t.accountId, vaultId: t.vaultId }
  const upload = (more: Partial<NewUpload> = {}): NewUpload => ({
    ...{ id: uuidv7(), sizeBytes: 5, ...fields, ...limits, ...owner },
    ...more,
  })
  const create = (more: Partial<NewUpload> = {}) => createUpload(t.writes, upload(more))
  async function hold(rows: RawBuilder<unknown>) {
    const holder = await t.db.startTransaction().execute()
    await rows.execute(holder)
    return holder
  }
  return { ...t, upload, create, hold, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() }
}

describe('concurrent uploads of one account', () => {
  it('each return their own row', async () => {
    const sizes = Array.from({ length: 40 }, (_, index) => index)
    const files = await Promise.all(sizes.map((sizeBytes) => t.create({ sizeBytes, name: `file ${sizeBytes}` })))
    expect(files.map((file) => [file?.name, file?.sizeBytes])).toEqual(sizes.map((size) => [`file ${size}`, size]))
    expect(await t.account()).toMatchObject({ file_count: '40', open_uploads: '40', storage_bytes: '780' })
  })

  it('never exceed the quota or the limit of open uploads, and use both completely', async () => {
    const quota = await Promise.all(Array.from({ length: 30 }, () => t.create({ sizeBytes: 10, quotaBytes: 95 })))
    expect(quota.filter(Boolean)).toHaveLength(9)
    const capped = await Promise.all(Array.from({ length: 10 }, () => t.create({ sizeBytes: 0, openUploadsMax: 12 })))
    expect(capped.filter(Boolean)).toHaveLength(3)
    expect(await t.account()).toMatchObject({ storage_bytes: '90', file_count: '12', open_uploads: '12' })
  })

  it('wait for the disk, unless all of them are multipart uploads, whose IDs are recorded next', async () => {
    const settingAfter = (...forms: [UploadForm, ...UploadForm[]]) =>
      t.db.transaction().execute(async (trx) => {
        const [first, ...others] = forms.map((form) => t.upload({ form }))
        expect(await creation.write(trx, [must(first), ...others], { unlessHeld: false })).not.toContain(null)
        const { rows } = await sql<{ synchronousCommit: string }>`show synchronous_commit`.execute(trx)
        return rows[0]?.synchronousCommit
      })
    expect(await settingAfter('parts', 'parts')).toBe('off')
    expect(await settingAfter('parts', 'once')).toBe('on')
    expect(await settingAfter('direct')).toBe('on')
  })

  it('fail individually', async () => {
    const taken = must(await t.create())
    const outcomes = await Promise.allSettled([
      t.create(),
      t.create({ id: taken.id }),
      t.create({ vaultId: t.accountId }),
      t.create(),
    ])
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value !== null : 'failed'))).toEqual([
      true,
      'failed',
      false,
      true,
    ])
    expect(await t.account()).toMatchObject({ file_count: '3', open_uploads: '3' })
  })

  it('are confirmed together, each with its event and its copy, except one that changed in the meantime', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, () => t.create()))
    const begun = await Promise.all(
      files.map(async (file) => must(await beginCompleting(t.writes, must(file), lives)).file),
    )
    const changed = must(begun[7])
    await t.database.sql('update file set version = version + 1 where id = $1', [changed.id])
    const hot = await Promise.all(begun.map((file) => markHot(t.writes, file, names)))
    expect(hot.map((file) => file?.status)).toEqual(begun.map((file) => (file === changed ? undefined : 'hot')))
    for (const { id } of begun) expect(await t.events(id)).toEqual(id === changed.id ? [] : ['file.hot'])
    expect(await t.database.sql('select from copy')).toHaveLength(19)
    expect(await t.account()).toMatchObject({ hot_bytes: '95', open_uploads: '1' })
  })
})

describe('concurrent uploads of many accounts', () => {
  it('need as few statements as those of one account, and count each for its own account', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, () => t.newAccount()))
    const files = await Promise.all([...owners, ...owners].map((owner) => t.create(owner)))
    expect(files.map((file) => file?.accountId)).toEqual([...owners, ...owners].map(({ accountId }) => accountId))
    const counted = await t.database.sql('select distinct file_count, open_uploads from account where id <> $1', [
      t.accountId,
    ])
    expect(counted).toEqual([{ file_count: '2', open_uploads: '2' }])
    const [written] = await t.database.sql('select count(distinct xmin::text) as transactions from file')
    expect(written).toEqual({ transactions: '1' })
  })

  it('are created except for an account over its quota', async () => {
    const other = await t.newAccount()
    await t.create({ sizeBytes: 90 })
    const outcomes = await Promise.all([
      t.create({ ...other, quotaBytes: 95 }),
      ...Array.from({ length: 4 }, () => t.create({ sizeBytes: 5, quotaBytes: 95 })),
      t.create({ ...other, sizeBytes: 5, quotaBytes: 95 }),
    ])
    expect(outcomes.map((file) => file !== null)).toEqual([true, true, false, false, false, true])
  })

  it('wait only for their own account', async () => {
    const other = await t.newAccount()
    const begun = await Promise.all([t.create(), t.create(other)])
    const [held, free] = await Promise.all(begun.map((file) => beginCompleting(t.writes, must(file), lives)))
    const holder = await t.hold(sql`select from account where id = ${t.accountId} for update`)
    const waiting = [t.create(), markHot(t.writes, must(held).file, names)]
    expect(await t.create(other)).not.toBeNull()
    expect(await markHot(t.writes, must(free).file, names)).toMatchObject({ status: 'hot' })
    await holder.rollback().execute()
    expect(await Promise.all(waiting)).toMatchObject([{ status: 'uploading' }, { status: 'hot' }])
  })

  it('wait for no rows that are locked for other accounts', async () => {
    const [held, free, late] = await Promise.all([t.create(), t.create(), t.create()])
    const holder = await t.hold(sql`select from file where id = ${must(held).id} for update`)
    const record = (file: FileRow | null | undefined, uploadId: string) =>
      recordUploadId(t.writes, must(file), { uploadId, urlSeconds: 900, settleSeconds: 60 })
    const waiting = record(held, 'waits')
    expect(await record(free, 'goes')).toMatchObject({ uploadId: 'goes', version: 2 })
    expect(await beginCompleting(t.writes, must(late), lives)).toMatchObject({
      isOverdue: false,
      file: { version: 2 },
    })
    await holder.rollback().execute()
    expect(await waiting).toMatchObject({ uploadId: 'waits', version: 2 })
  })

  it('return the current row', async () => {
    const [plain, changed, twice] = await Promise.all([t.create(), t.create(), t.create()])
    await t.database.sql(`update file set name = 'new', version = version + 1 where id = $1`, [must(changed).id])
    const begun = await Promise.all(
      [plain, changed, twice, twice].map((file) => beginCompleting(t.writes, must(file), lives)),
    )
    expect(begun.map((one) => one?.file.id)).toEqual([plain?.id, undefined, twice?.id, undefined])
    for (const { file } of begun.flatMap((one) => one ?? [])) {
      const [row] = await t.database.sql('select version, completing_at from file where id = $1', [file.id])
      expect(file).toMatchObject({ version: row?.['version'], completingAt: row?.['completing_at'] })
    }
  })
})

describe('an obstacle to a creation is not a Postgres error, which would write the row to its log:', () => {
  /** Runs in a transaction, which an error would end. */
  async function createIn(
    t: Awaited<ReturnType<typeof open>>,
    uploads: [NewUpload, ...NewUpload[]],
    unlessHeld: boolean,
  ) {
    return await t.db.transaction().execute(async (trx) => {
      const files = await creation.write(trx, uploads, { unlessHeld })
      await sql`select`.execute(trx)
      return files.flatMap((file) => file?.id ?? [])
    })
  }

  it('a locked vault', async () => {
    const other = await t.newAccount()
    const [own, free] = [t.upload(), t.upload(other)]
    const holder = await t.hold(sql`select from vault where id = ${t.vaultId} for update`)
    expect(await createIn(t, [own, free], true)).toEqual([free.id])
    await holder.rollback().execute()
    expect(await t.account()).toMatchObject({ file_count: '0', open_uploads: '0', storage_bytes: '0' })
    expect(await createIn(t, [own], true)).toEqual([own.id])
  })

  it('a vault that is trashed, and a quota that is used up, while it waits', async () => {
    const other = await t.newAccount()
    for (const [change, upload] of [
      [sql`update vault set deleted_at = now() where id = ${t.vaultId}`, t.upload()],
      [
        sql`update account set storage_bytes = 95 where id = ${other.accountId}`,
        t.upload({ ...other, quotaBytes: 95 }),
      ],
    ] as const) {
      const holder = await t.hold(change)
      const created = createIn(t, [upload], false)
      await waitFor(async () => (await t.database.sql(isWaiting)).length > 0)
      await holder.commit().execute()
      expect(await created).toEqual([])
    }
    expect(await t.account()).toMatchObject({ file_count: '0', open_uploads: '0', storage_bytes: '0' })
    expect(await t.database.sql('select from file')).toEqual([])
  })
})
