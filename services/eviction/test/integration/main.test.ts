import { isDeepStrictEqual } from 'node:util'
import { streams } from '@tideport/contracts/internal/streams'
import { purgeConfirmed } from '@tideport/file-lifecycle/removal/purge'
import { trashFile } from '@tideport/file-lifecycle/removal/trash'
import { nameOf } from '@tideport/file-lifecycle/state/copy-transitions'
import { isNamed } from '@tideport/file-lifecycle/state/file-copies'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { must, never } from '@tideport/file-lifecycle/testing/bundle'
import { setupEviction } from '@tideport/file-lifecycle/testing/evict-bundle'
import { withProcesses } from '@tideport/file-lifecycle/testing/processes'
import { beginCompleting } from '@tideport/file-lifecycle/upload/upload-urls'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)

async function setup() {
  const env = {
    DOWNLOAD_URL_SECONDS: '1',
    CLOCK_SKEW_SECONDS: '0',
    CONFIRM_RECHECK_SECONDS: '1',
    SETTLE_SECONDS: '1',
  }
  const t = await withProcesses(main, await setupEviction(), { env })
  return {
    ...t,
    /** Whether the file's copy exists and all its bytes are correct. */
    async isIntact(file: { id: string; sha256: string | null; sizeBytes: number }) {
      const copy = await t.copy(file)
      if (!isNamed(copy)) return false
      const expected = { sha256: must(file.sha256), sizeBytes: file.sizeBytes }
      return (await t.networkOf(copy.network).prove(nameOf(copy), expected, never)).ok
    },
    reaches: (fileId: string, status: string) =>
      waitFor(async () => (await t.read(fileId)).status === status, {
        what: `the file to be ${status}`,
        timeoutMs: 150_000,
      }),
  }
}

const t = setUpOnce(setup)

describe('the eviction process', () => {
  it('publishes a committed event once after kill -9 between commit and publication', async () => {
    const file = await t.hotFile('hello')
    await t.failpoints.kill('relay.claimed')
    await using killed = await t.start()
    const given = { fileId: file.id, accountId: t.accountId }
    must(await trashFile(t.db, given, { retentionSeconds: 3600, networks: t.networks }))
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await t.read(file.id)).toMatchObject({ deletedAt: expect.any(Date) })
    await t.database.sql('update event set claimed_until = now()')
    await using _next = await t.start()
    const subject = (type: string) => `events.file.${type}.v1.${file.id}`
    await waitFor(async () => (await t.database.sql('select from event where published_at is null')).length === 0, {
      what: 'every event to be published',
      timeoutMs: 150_000,
    })
    const { state } = await (await t.streams()).info(streams.events.name, { subjects_filter: 'events.>' })
    expect(state.subjects).toEqual({ [subject('hot')]: 1, [subject('deleted')]: 1 })
  })

  it('converges after kill -9 before and after the deletion, with one event and continuously readable bytes', async () => {
    const file = await t.syncedFile('hello')
    for (const point of ['evict.before-delete', 'evict.after-delete']) {
      await t.failpoints.kill(point)
      await using killed = await t.start()
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
      expect(await t.read(file.id), point).toMatchObject({ status: 'synced', hotKey: file.hotKey })
      expect(await t.isIntact(file), point).toBe(true)
      // Skips the waits for the killed process's claim to expire and for the broker's ack timeout.
      await t.makeDue(file.id)
      await (await t.streams()).purge(streams.jobs.name)
    }
    await using _worker = await t.start()
    await t.reaches(file.id, 'cold')
    expect(await t.hotTier.head(must(file.hotKey))).toBeNull()
    expect((await t.events(file.id)).slice(3)).toEqual(['copy.proved', 'evict.begun', 'file.cold'])
  })

  it('evicts files whose jobs were lost with the stream, and exits in time on SIGTERM', async () => {
    await using worker = await t.start()
    const file = await t.syncedFile()
    await waitFor(async () => (await t.read(file.id)).evictingAt, { what: 'the file to be evicting' })
    await (await t.streams()).delete(streams.jobs.name)
    await t.reaches(file.id, 'cold')
    expect(await worker.stop()).toEqual({ code: 0, signal: null })
  })

  it('removes every trace of a purged file despite kill -9 before and after each removal', async () => {
    const file = await t.syncedFile('hello')
    const given = { accountId: t.accountId, fileId: file.id }
    must(await purgeConfirmed(t.db, given, { settleSeconds: 1, networks: t.networks }))
    await t.assign(file.id, `cleanup_after = now() + interval '1 second'`)
    for (const point of ['purge.before-outside', 'purge.after-outside']) {
      await t.failpoints.kill(point)
      await using killed = await t.start()
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
      await t.assign(file.id, 'claimed_until = null')
    }
    await using _worker = await t.start()
    const isGone = async () => (await t.database.sql('select 1 from file where id = $1', [file.id])).length === 0
    await waitFor(isGone, { what: 'the row to go' })
    expect(await t.hotTier.head(must(file.hotKey))).toBeNull()
    expect(await t.directory.list()).toEqual([])
  })

  it('runs the periodic tasks for unfinished confirms, uploads, trash, and cleanup', async () => {
    const begun = [await t.begin(5), await t.begin(5)] as const
    for (const { file, url } of begun) {
      await t.put(url, 'hello')
      // A confirm whose process was killed directly after its second step.
      must(await beginCompleting(t.writes, file, { settleSeconds: 60, lostSeconds: 900 }))
    }
    const [left, young] = begun.map(({ file }) => file) as [FileRow, FileRow]
    await t.assign(young.id, `completing_at = now() + interval '1 hour'`)
    const [expired, trashed, settling] = [(await t.begin(5)).file, await t.hotFile(), await t.hotFile()]
    await t.assign(expired.id, 'upload_expires_at = now(), cleanup_after = now()')
    await t.assign(settling.id, 'cleanup_after = now()')
    await t.assign(trashed.id, 'cleanup_after = null')
    const given = { accountId: t.accountId, fileId: trashed.id }
    must(await trashFile(t.db, given, { retentionSeconds: 0, networks: t.networks }))

    await using _worker = await t.start()
    await t.reaches(left.id, 'hot')
    expect(await t.events(left.id)).toEqual(['file.hot'])
    const jobs = await t.streams()
    await waitFor(() => jobs.getMessage(streams.jobs.name, { last_by_subj: `jobs.store.v1.embedded.${left.id}` }), {
      what: 'the job',
    })
    expect(await t.read(young.id)).toMatchObject({ status: 'uploading', fencingToken: 0 })
    const kept = [left, young, settling].map(({ id }) => id).toSorted()
    const remaining = async () => (await t.database.sql('select id from file order by id')).map(({ id }) => id)
    await waitFor(async () => isDeepStrictEqual(await remaining(), kept), { what: 'two files to go' })
    await waitFor(async () => (await t.read(settling.id)).cleanupAfter === null, { what: 'the third to settle' })
    expect(await t.hotTier.head(must(settling.hotKey))).toBe(5)
  })
})
