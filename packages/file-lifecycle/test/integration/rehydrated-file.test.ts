import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { nameRehydrated, recordRehydrated, requestRehydration } from '../../src/rehydrate/rehydrate-file.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { claimFor } from '../../src/work/claim-step.ts'
import { must, never } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'

const t = setUpOnce(setup)

async function setup() {
  const t = await setupEviction()
  async function step(file: Pick<FileRow, 'id'>) {
    await t.makeDueForEviction(file)
    await t.evict(file)
  }
  /** A cold file with a requested rehydration. The sync worker has named the key. */
  async function namedFile(body: string) {
    const file = await t.evictableFile(body)
    await step(file)
    await step(file)
    const wanted = must(await requestRehydration(t.db, await t.read(file.id)))
    const named = must(await nameRehydrated(t.db, must(await claimFor(t.writes, { fileId: wanted.id }, 'rehydrate'))))
    return { ...named, rehydrateKey: must(named.rehydrateKey) }
  }
  async function putBytes(key: string, text: string) {
    async function* body() {
      yield Buffer.from(text)
    }
    await t.hotTier.store(key, { mimeType: 'image/png', body: body() }, never)
  }
  async function rehydratedFile(body = 'hello') {
    const named = await namedFile(body)
    await putBytes(named.rehydrateKey, body)
    const back = must(await recordRehydrated(t.db, named, { hotRetentionSeconds: 0 }))
    return { ...named, ...back, hotKey: must(back.hotKey) }
  }
  return Object.assign(t, { step, namedFile, putBytes, rehydratedFile })
}

describe('the restored hot bytes of a cold file', () => {
  it('stay when the copy on the network is missing, and heal it', async () => {
    const file = await t.rehydratedFile()
    await t.step(file)
    await t.hideCopy(file)
    await t.step(file)
    await t.check()
    await t.step(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', hotKey: file.hotKey })
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
    expect(await t.account()).toMatchObject({ hot_bytes: '5' })
    await t.store(file)
    await t.prove(file)
    await t.step(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', hotKey: null })
  })

  it('can be requested again during their deletion, and the request survives it', async () => {
    const file = await t.rehydratedFile()
    await t.step(file)
    expect(await requestRehydration(t.db, await t.read(file.id))).not.toBeNull()
    expect(await claimFor(t.writes, { fileId: file.id }, 'rehydrate')).toBeNull()
    await t.step(file)
    expect(await t.read(file.id)).toMatchObject({ hotKey: null, evictingAt: null })
    expect(await claimFor(t.writes, { fileId: file.id }, 'rehydrate')).not.toBeNull()
  })
})

it('are cleared after a failed rehydration, without a proof', async () => {
  const file = await t.namedFile('hello')
  await t.putBytes(file.rehydrateKey, 'hello')
  await t.hotTier.beginUpload(file.rehydrateKey, 'image/png')
  await t.assign(file.id, 'rehydrate_due_at = null, evict_due_at = now(), version = version + 1')
  await t.spoilCopy(file)
  await t.step(file)
  expect(await t.read(file.id)).toMatchObject({ status: 'cold', rehydrateKey: null, hotKey: null, evictDueAt: null })
  expect(await t.hotTier.head(file.rehydrateKey)).toBeNull()
  expect(await t.account()).toMatchObject({ hot_bytes: '0' })
})
