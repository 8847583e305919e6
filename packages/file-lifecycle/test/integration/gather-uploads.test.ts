import { v7 as uuidv7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import { gatherUploads } from '../../src/upload/gather-uploads.ts'
import { beginCompleting } from '../../src/upload/uploads.ts'
import { must, names, setup } from '../bundle.ts'

const lives = { settleSeconds: 60, lostSeconds: 900 }

async function open() {
  const t = await setup()
  const together = gatherUploads(t.db, names)
  const fields = {
    name: 'cat.png',
    mimeType: 'image/png',
    encryption: null,
    checksumDeclared: null,
    partSizeBytes: null,
  }
  const limits = { expirySeconds: 3600, quotaBytes: 0, openUploadsMax: 100 }
  const owner = { accountId: t.accountId, vaultId: t.vaultId }
  const create = (more: Partial<Parameters<typeof together.create>[0]> = {}) =>
    together.create({ id: uuidv7(), sizeBytes: 5, ...fields, ...limits, ...owner, ...more })
  return { ...t, together, create, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() }
}

describe('uploads of one account at once', () => {
  it('are each answered with their own row', async () => {
    await using t = await open()
    const sizes = Array.from({ length: 40 }, (_, index) => index)
    const files = await Promise.all(sizes.map((sizeBytes) => t.create({ sizeBytes, name: `file ${sizeBytes}` })))
    expect(files.map((file) => [file?.name, file?.sizeBytes])).toEqual(sizes.map((size) => [`file ${size}`, size]))
    expect(await t.account()).toMatchObject({ file_count: '40', open_uploads: '40', storage_bytes: '780' })
  })

  it('never go over the quota or the open uploads, and use them up', async () => {
    await using t = await open()
    const quota = await Promise.all(Array.from({ length: 30 }, () => t.create({ sizeBytes: 10, quotaBytes: 95 })))
    expect(quota.filter(Boolean)).toHaveLength(9)
    const capped = await Promise.all(Array.from({ length: 10 }, () => t.create({ sizeBytes: 0, openUploadsMax: 12 })))
    expect(capped.filter(Boolean)).toHaveLength(3)
    expect(await t.account()).toMatchObject({ storage_bytes: '90', file_count: '12', open_uploads: '12' })
  })

  it('fail each for itself alone', async () => {
    await using t = await open()
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

  it('are confirmed together, each with its event and its copy, and one that was changed meanwhile is left out', async () => {
    await using t = await open()
    const files = await Promise.all(Array.from({ length: 20 }, () => t.create()))
    const begun = await Promise.all(
      files.map(async (file) => must(await beginCompleting(t.db, must(file), lives)).file),
    )
    const changed = must(begun[7])
    await t.database.sql('update file set version = version + 1 where id = $1', [changed.id])
    const hot = await Promise.all(begun.map((file) => t.together.markHot(file)))
    expect(hot.map((file) => file?.status)).toEqual(begun.map((file) => (file === changed ? undefined : 'hot')))
    for (const { id } of begun) expect(await t.events(id)).toEqual(id === changed.id ? [] : ['file.hot'])
    expect(await t.database.sql('select from copy')).toHaveLength(19)
    expect(await t.account()).toMatchObject({ hot_bytes: '95', open_uploads: '1' })
  })
})
