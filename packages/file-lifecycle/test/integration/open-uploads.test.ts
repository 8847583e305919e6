import { randomBytes, randomUUID } from 'node:crypto'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { abortUpload, purgeFilesOfVault } from '../../src/removal/purge.ts'
import { completeUpload } from '../../src/upload/confirm.ts'
import { entityTagOf } from '../../src/upload/open-completion.ts'
import { dropAttempts, listParts } from '../../src/upload/open-parts.ts'
import { must, names, never } from '../bundle.ts'
import { MIB, md5Of, setupOpen } from '../opening.ts'

const t = setUpOnce(setupOpen)
const settle = { settleSeconds: 60, networks: names }
const big = () => randomBytes(5 * MIB)

const bytesOf = async (key: string) => Buffer.concat(await must(await t.hotTier.open(key, undefined, never)).toArray())

describe('an upload in parts of any size', () => {
  it('becomes a file of the listed parts, and counts exactly their bytes at each step', async () => {
    const upload = await t.open()
    const [one, two, last] = [big(), randomBytes(6 * MIB), Buffer.from('end')]
    await t.put(upload, 2, big())
    const listed = [await t.put(upload, 7, last), await t.put(upload, 2, two), await t.put(upload, 1, one)].reverse()
    await t.put(upload, 9, Buffer.from('left out'))
    expect(await t.counted()).toEqual({ isExact: true, bytes: one.length + two.length + 3 + 8, openUploads: 1 })

    const completed = await t.complete(upload, listed)
    expect(completed).toMatchObject({ outcome: 'confirmed', didTransition: true })
    const all = Buffer.concat([one, two, last])
    const file = await t.row(upload.id)
    const entityTag = `${md5Of(Buffer.concat([one, two, last].map((part) => Buffer.from(md5Of(part), 'hex'))))}-3`
    expect(file).toMatchObject({ status: 'hot', sizeBytes: all.length, entityTag, rawKey: null })
    expect(file.partSizes).toEqual([1, one.length, 1, two.length, 1, 3])
    expect((await bytesOf(must(file.hotKey))).equals(all)).toBe(true)
    expect(await t.counted()).toEqual({ isExact: true, bytes: all.length, openUploads: 0 })

    expect(await t.complete(file, listed)).toMatchObject({ outcome: 'confirmed', didTransition: false })
    expect(await t.complete(file, listed.slice(0, 2))).toEqual({ outcome: 'gone' })
    expect(await t.events(upload.id)).toEqual(['file.hot'])
    expect(await t.send(upload, 3, one).catch((error: Error) => error.message)).toBe('closed')
  })

  it('keeps the attempt that ends last, though the other one began later', async () => {
    const upload = await t.open()
    const [first, second] = [await t.send(upload, 1, big()), await t.send(upload, 1, big())]
    await second.store()
    // Waits for the second one to be recorded.
    const stored = first.store()
    await second.record()
    await stored
    await first.record()
    const { parts } = await listParts(t.db, upload.id, { after: 0, limit: 10 })
    expect(parts.map(({ md5 }) => md5)).toEqual([first.listed.md5])
    expect(await t.counted()).toEqual({ isExact: true, bytes: 5 * MIB, openUploads: 1 })
    expect(await t.complete(upload, [second.listed])).toEqual({ outcome: 'invalid_part', partNumber: 1 })
    expect(await t.complete(upload, [first.listed])).toMatchObject({ outcome: 'confirmed' })
  })

  it('agrees with the store after parallel attempts of one part', async () => {
    const upload = await t.open()
    const attempts = await Promise.all(Array.from({ length: 6 }, () => t.put(upload, 1, big())))
    const { parts } = await listParts(t.db, upload.id, { after: 0, limit: 10 })
    expect(parts).toHaveLength(1)
    expect(await t.counted()).toEqual({ isExact: true, bytes: 5 * MIB, openUploads: 1 })
    const outcomes = []
    for (const attempt of attempts) outcomes.push((await t.complete(upload, [attempt])).outcome)
    expect(outcomes.filter((outcome) => outcome === 'confirmed')).toHaveLength(1)
    const file = await t.row(upload.id)
    expect(entityTagOf([{ md5: md5Of(await bytesOf(must(file.hotKey))) }])).toBe(file.entityTag)
  })

  it('refuses a part whose replacement a crash left unrecorded, and accepts it once it was sent again', async () => {
    const upload = await t.open()
    const bytes = big()
    const listed = await t.put(upload, 1, bytes)
    await (await t.send(upload, 1, big())).store()
    // As when the process that sent it is killed.
    await t.database.sql('update upload_part set committing_until = now()')
    expect(await t.complete(upload, [listed])).toEqual({ outcome: 'invalid_part', partNumber: 1 })
    await t.put(upload, 1, bytes)
    expect(await t.complete(upload, [listed])).toMatchObject({ outcome: 'confirmed' })
    expect(await t.counted()).toEqual({ isExact: true, bytes: 5 * MIB, openUploads: 0 })
  })

  it('refuses wrong lists, and stays open', async () => {
    const upload = await t.open()
    const small = await t.put(upload, 1, Buffer.from('small'))
    const last = await t.put(upload, 2, Buffer.from('last'))
    const faults = [
      [[small, last], { outcome: 'entity_too_small', partNumber: 1 }],
      [[last, small], { outcome: 'invalid_part_order' }],
      [[small, small], { outcome: 'invalid_part_order' }],
      [[{ ...last, md5: small.md5 }], { outcome: 'invalid_part', partNumber: 2 }],
      [[{ ...last, digests: { crc32: 'AAAAAA==' } }], { outcome: 'digest_differs', partNumber: 2, name: 'crc32' }],
      [[{ ...last, partNumber: 3 }], { outcome: 'invalid_part', partNumber: 3 }],
    ] as const
    for (const [parts, fault] of faults) expect(await t.complete(upload, [...parts])).toEqual(fault)
    expect(await t.complete(upload, [last], { sizeBytes: 5 })).toEqual({ outcome: 'size_differs', sizeBytes: 4 })
    expect(await t.complete(upload, [last], { maxFileBytes: 3 })).toEqual({ outcome: 'too_large' })
    expect(await t.complete(upload, [last], { sizeBytes: 4 })).toMatchObject({ outcome: 'confirmed' })
  })

  it('takes its key only under the conditions of the completion, and can still be completed later', async () => {
    const occupant = must(await t.request({ onConflict: 'replace' }))
    await t.database.sql(`update file set status = 'hot', hot_key = null where id = $1`, [occupant.id])
    await t.database.sql('update account set open_uploads = 0')
    const upload = await t.open()
    const listed = [await t.put(upload, 1, Buffer.from('bytes'))]
    const refused = { outcome: 'precondition_failed', occupantId: occupant.id }
    expect(await t.complete(upload, listed, t.onlyIfFree)).toEqual(refused)
    // Another file took the key after the store had completed the upload.
    const after = {
      ...t.hotTier,
      complete: async (...given: Parameters<HotTier['complete']>) => {
        const answer = await t.hotTier.complete(...given)
        await t.database.sql(`update file set deleted_at = null where id = $1`, [occupant.id])
        return answer
      },
    }
    await t.database.sql(`update file set deleted_at = now() where id = $1`, [occupant.id])
    expect(await t.complete(upload, listed, { ...t.onlyIfFree, hotTier: after })).toEqual(refused)
    const reopened = await t.row(upload.id)
    expect(reopened).toMatchObject({ status: 'uploading', completingAt: null })
    const foreign = [{ ...must(listed[0]), md5: md5Of('other') }]
    expect(await t.complete(reopened, foreign)).toEqual({ outcome: 'lost' })
    expect(await t.complete(reopened, listed, { ifOccupant: occupant.id })).toMatchObject({ outcome: 'confirmed' })
    expect(await t.row(occupant.id)).toMatchObject({ replacedBy: upload.id })
  })
})

describe('when something happens meanwhile', () => {
  it('continues a completion that a crash interrupted before or after the store completed it', async () => {
    for (const isBefore of [true, false]) {
      const upload = await t.open()
      const listed = [await t.put(upload, 1, big()), await t.put(upload, 2, Buffer.from('end'))]
      await t.put(upload, 3, Buffer.from('left out'))
      const crashing = {
        ...t.hotTier,
        complete: async (...given: Parameters<HotTier['complete']>) => {
          if (!isBefore) await t.hotTier.complete(...given)
          throw new Error('crash')
        },
      }
      await expect(t.complete(upload, listed, { hotTier: crashing })).rejects.toThrow('crash')
      const begun = await t.row(upload.id)
      expect(begun.completingAt).not.toBeNull()
      expect((await t.counted()).isExact).toBe(true)
      expect(await t.complete(begun, listed.slice(0, 1))).toEqual({ outcome: 'in_progress' })
      const continued = await completeUpload(t.deps, begun, { waitMs: 30_000, signal: never })
      expect(continued).toMatchObject({ outcome: 'confirmed', didTransition: true })
      expect((await bytesOf(must(begun.hotKey))).length).toBe(5 * MIB + 3)
      expect((await t.counted()).isExact).toBe(true)
    }
  })

  it('reopens when a part was replaced at the store after the completion began', async () => {
    const upload = await t.open()
    const listed = [await t.put(upload, 1, big())]
    const late = await t.send(upload, 2, Buffer.from('late'))
    const replacing = {
      ...t.hotTier,
      complete: async (...given: Parameters<HotTier['complete']>) => {
        const other = Buffer.from('other')
        const place = { key: upload.uploadKey, uploadId: must(upload.uploadId), partNumber: 1 }
        await t.hotTier.putPart(
          place,
          {
            stream: (async function* () {
              yield other
            })(),
            sizeBytes: 5,
          },
          never,
        )
        expect(await late.record()).toBe(false)
        return await t.hotTier.complete(...given)
      },
    }
    expect(await t.complete(upload, listed, { hotTier: replacing })).toEqual({ outcome: 'mismatch' })
    expect(await t.row(upload.id)).toMatchObject({ completingAt: null, entityTag: null, partSizes: null })
    expect(await t.counted()).toEqual({ isExact: true, bytes: 5 * MIB + 4, openUploads: 1 })
    await late.drop()
    expect(await t.complete(upload, [await t.put(upload, 1, big())])).toMatchObject({ outcome: 'confirmed' })
    expect((await t.counted()).isExact).toBe(true)
  })

  it('completes once or is aborted when many do both at once, and counts nothing twice', async () => {
    for (const delayed of [0, 3]) {
      const upload = await t.open()
      const listed = [await t.put(upload, 1, big())]
      const own = { fileId: upload.id, accountId: t.accountId }
      const abort = async () => {
        for (let turn = 0; turn < delayed; turn += 1) await t.database.sql('select 1')
        return (await abortUpload(t.db, own, settle)) !== null
      }
      const late = async () => {
        const sent = await t.send(upload, 2, big())
        await sent.store()
        if (!(await sent.record())) await sent.drop()
      }
      const [isAborted, ...completions] = await Promise.all([
        abort(),
        ...Array.from({ length: 4 }, () => t.complete(upload, listed)),
        late().catch(() => undefined),
      ])
      const hot = completions.filter((one) => one?.outcome === 'confirmed')
      expect(hot.filter((one) => one && 'didTransition' in one && one.didTransition)).toHaveLength(isAborted ? 0 : 1)
      expect(await t.events(upload.id)).toEqual(isAborted ? [] : ['file.hot'])
      expect(await t.counted()).toMatchObject({ isExact: true, openUploads: 0 })
    }
  })

  it('releases everything when the vault is purged while parts arrive', async () => {
    const upload = await t.open()
    const listed = [await t.put(upload, 1, big())]
    const late = await t.send(upload, 2, big())
    await t.database.sql('update vault set deleted_at = now(), purging_at = now() where id = $1', [t.vaultId])
    expect(await t.complete(upload, listed)).toEqual({ outcome: 'gone' })
    expect(await late.record()).toBe(false)
    await purgeFilesOfVault(t.db, t.vaultId, settle, null)
    await late.drop()
    expect(await t.counted()).toEqual({ isExact: true, bytes: 0, openUploads: 0 })
  })
})

describe('limits', () => {
  it('refuses parts beyond the quota, but not the replacement of a part', async () => {
    const upload = await t.open()
    const part = (partNumber: number) => ({ fileId: upload.id, partNumber, attempt: randomUUID() })
    await t.put(upload, 1, big())
    expect(await t.reserve(part(2), 2, 5 * MIB + 1)).toBe('quota_exceeded')
    expect(await t.reserve(part(1), 5 * MIB + 2, 5 * MIB + 1)).toBe('quota_exceeded')
    expect(await t.reserve(part(3), 2000 * MIB)).toBe('too_large')
    expect(await t.counted()).toEqual({ isExact: true, bytes: 5 * MIB, openUploads: 1 })
    const again = part(1)
    expect(await t.reserve(again, 5 * MIB + 1, 5 * MIB + 1)).toBe('reserved')
    await dropAttempts(t.db, upload.id, [again.attempt])
    expect((await t.counted()).bytes).toBe(5 * MIB)
  })

  it('lists and completes 10,000 parts', async () => {
    const upload = await t.open()
    const sizeBytes = 5 * MIB
    await t.database.sql(
      `insert into upload_part (file_id, part_number, attempt, size_bytes, md5, store_etag)
       select $1, n, gen_random_uuid(), $2, md5(n::text), md5(n::text) from generate_series(1, 10000) as n`,
      [upload.id, sizeBytes],
    )
    for (const table of ['file', 'account', 'vault'])
      await t.database.sql(`update ${table} set ${table === 'file' ? 'size_bytes' : 'storage_bytes'} = $1`, [
        10_000 * sizeBytes,
      ])
    const listed = []
    for (let after = 0, isMore = true; isMore; after = must(listed.at(-1)).partNumber) {
      const page = await listParts(t.db, upload.id, { after, limit: 1000 })
      expect(page.parts).toHaveLength(1000)
      listed.push(...page.parts.map(({ partNumber, md5 }) => ({ partNumber, md5, digests: {} })))
      isMore = page.isTruncated
    }
    expect(listed).toHaveLength(10_000)
    const stored = listed.map(({ partNumber, md5 }) => ({ partNumber, sizeBytes, etag: `"${md5}"` }))
    const hotTier = {
      ...t.hotTier,
      listParts: async () => stored,
      findPart: async () => must(stored[0]),
      complete: async (_key: string, _id: string, parts: unknown[]) =>
        (parts.length === 9_999 ? 'answered' : 'refused') as 'answered',
      head: async () => 9_999 * sizeBytes,
    }
    const parts = listed.filter(({ partNumber }) => partNumber !== 5000)
    const done = await t.complete(upload, parts, { hotTier, maxFileBytes: 1e12 })
    expect(done).toMatchObject({
      outcome: 'confirmed',
      file: { sizeBytes: 9_999 * sizeBytes, partSizes: [9_999, sizeBytes] },
    })
  })
})
