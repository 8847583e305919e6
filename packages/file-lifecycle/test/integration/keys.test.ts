import { Readable } from 'node:stream'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { editFile } from '../../src/state/edit-file.ts'
import { placeOfKey } from '../../src/state/key-place.ts'
import { reloadFile } from '../../src/state/queries.ts'
import { findOccupant, NOBODY } from '../../src/state/take-path.ts'
import type { NewUpload } from '../../src/upload/create-upload.ts'
import { must, setup } from '../bundle.ts'

const t = setUpOnce(setup)

type Wanted = Pick<NewUpload, 'onConflict' | 'ifOccupant' | 'isOpaque' | 'vaultId'>

async function begin(key: string, wanted: Partial<Wanted> = { onConflict: 'replace' }) {
  const upload = must(await t.request({ ...placeOfKey(key), form: 'direct', sizeBytes: 1, ...wanted }))
  await t.hotTier.store(
    upload.uploadKey,
    { mimeType: upload.mimeType, body: Readable.from([Buffer.from('a')]) },
    AbortSignal.timeout(9_000),
  )
  return upload
}
const put = async (key: string, wanted?: Partial<Wanted>) => await t.confirm(await begin(key, wanted))
const fileOf = async (...args: Parameters<typeof put>) => {
  const completion = await put(...args)
  if (completion.outcome !== 'confirmed') throw new Error(completion.outcome)
  return completion.file
}
const at = (key: string) => findOccupant(t.db, { accountId: t.accountId, vaultId: t.vaultId, key })

describe('a key that is no path', () => {
  it('is kept byte for byte, and only a file of the same key replaces its file', async () => {
    const keys = ['a//b', 'a/_/b', 'e\u0301', 'é', 'a/./b', 'dir/']
    const files = await Promise.all(keys.map((key) => fileOf(key)))
    expect(files.map(({ key }) => key)).toEqual(keys)
    expect(files.map(({ path }) => path)).toEqual(['a/_/b', 'a/_/b', 'é', 'é', 'a/_/b', 'dir/_'])
    expect(await fileOf('a//b')).toMatchObject({ replaces: files[0]?.id })
    expect(await put('a/./b', { onConflict: 'fail' })).toEqual({ outcome: 'path_taken', occupantId: files[4]?.id })
    expect([await at('é'), await at('a/_/b')]).toEqual([files[3]?.id, files[1]?.id])
  })

  it('ends with a rename or move to another path', async () => {
    const file = await fileOf('a//b')
    const same = must(await editFile(t.db, file, { at: { folder: 'a/_/', name: 'b' } }))
    expect(same).toMatchObject({ rawKey: 'a//b' })
    expect(must(await editFile(t.db, same, { at: { folder: 'a/', name: 'b' } }))).toMatchObject({
      rawKey: null,
      key: 'a/b',
    })
  })
})

describe('a condition on the file at a path', () => {
  it('lets exactly one of 50 concurrent uploads replace the named file', async () => {
    const first = await fileOf('a/b')
    const uploads = await Promise.all(
      Array.from({ length: 50 }, () => begin('a/b', { onConflict: 'replace', ifOccupant: first.id })),
    )
    const completions = await Promise.all(uploads.map((upload) => t.confirm(upload)))
    const confirmed = completions.filter(({ outcome }) => outcome === 'confirmed')
    const winner = must(await at('a/b'))
    expect(confirmed).toMatchObject([{ file: { id: winner, replaces: first.id, ifOccupant: null } }])
    for (const completion of completions.filter((one) => !confirmed.includes(one)))
      expect(completion).toEqual({ outcome: 'precondition_failed', occupantId: winner })
    expect((await reloadFile(t.db, uploads.find(({ id }) => id !== winner)?.id ?? ''))?.status).toBe('uploading')
  })

  it('lets exactly one of 50 concurrent uploads take a free path, and fails where the named file is gone', async () => {
    const nobody = { onConflict: 'replace', ifOccupant: NOBODY } as const
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => put('a//b', nobody)))
    expect(outcomes.filter(({ outcome }) => outcome === 'confirmed')).toHaveLength(1)
    expect(outcomes.filter(({ outcome }) => outcome === 'precondition_failed')).toHaveLength(49)
    const gone = { onConflict: 'replace', ifOccupant: await at('a//b') } as const
    expect(await put('a/c', gone)).toEqual({ outcome: 'precondition_failed', occupantId: null })
  })
})

it('stores bytes of a private vault as they are only for uploads that say so', async () => {
  await t.database.sql(`update vault set visibility = 'private' where id = $1`, [t.vaultId])
  expect(await t.request()).toBeNull()
  expect(await fileOf('a', { isOpaque: true })).toMatchObject({ wrappedKey: null, status: 'hot' })
})
