import { describe, expect, it } from 'vitest'
import { reloadFile } from '../../src/state/queries.ts'
import { beginCompleting } from '../../src/upload/open-uploads.ts'
import { reopenUpload } from '../../src/upload/uploads.ts'
import { must, setup } from '../bundle.ts'

describe('createUpload', () => {
  it('reserves bytes and counts in account and vault together with the row', async () => {
    await using t = await setup()
    const file = must(await t.request({ sizeBytes: 7 }))
    expect(file).toMatchObject({ status: 'uploading', version: 1, sizeBytes: 7, hotKey: file.uploadKey })
    expect(await t.account()).toMatchObject({ storage_bytes: '7', file_count: '1', open_uploads: '1', hot_bytes: '0' })
    const [vault] = await t.database.sql('select file_count, storage_bytes from vault')
    expect(vault).toEqual({ file_count: '1', storage_bytes: '7' })
  })

  it('never goes over the quota or the open uploads, however many ask at once', async () => {
    await using t = await setup()
    const answers = await Promise.all(Array.from({ length: 30 }, () => t.request({ sizeBytes: 10, quotaBytes: 95 })))
    expect(answers.filter(Boolean)).toHaveLength(9)
    const capped = await Promise.all(Array.from({ length: 10 }, () => t.request({ sizeBytes: 0, openUploadsMax: 12 })))
    expect(capped.filter(Boolean)).toHaveLength(3)
    expect(await t.account()).toMatchObject({ storage_bytes: '90', file_count: '12', open_uploads: '12' })
  })

  it('changes nothing for a vault of somebody else or in trash', async () => {
    await using t = await setup()
    expect(await t.request({ vaultId: t.accountId })).toBeNull()
    await t.database.sql('update vault set deleted_at = now()')
    expect(await t.request()).toBeNull()
    expect(await t.account()).toMatchObject({ storage_bytes: '0', file_count: '0', open_uploads: '0' })
  })
})

describe('reopenUpload', () => {
  it('opens the upload again for the completion that found out, not for an earlier one', async () => {
    await using t = await setup()
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
