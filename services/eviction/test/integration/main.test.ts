import { streams } from '@tideport/contracts/internal/streams'
import { purgeConfirmed } from '@tideport/file-lifecycle/removal/purge'
import { trashFile } from '@tideport/file-lifecycle/removal/trash'
import { nameOf } from '@tideport/file-lifecycle/state/copy-transitions'
import { isNamed } from '@tideport/file-lifecycle/state/file-copies'
import { must, never } from '@tideport/file-lifecycle/test/bundle'
import { setupEviction } from '@tideport/file-lifecycle/test/evict-bundle'
import { withProcesses } from '@tideport/file-lifecycle/test/processes'
import { beginCompleting } from '@tideport/file-lifecycle/upload/open-uploads'
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
    /** Whether the file's copy is there and every byte of it is right. */
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
  it('sends what was committed once, though it was killed with -9 between the change and its publication', async () => {
    const file = await t.hotFile('hello')
    await t.failpoints.kill('relay.claimed')
    await using killed = await t.start()
    must(
      await trashFile(
        t.db,
        { fileId: file.id, accountId: t.accountId },
        { retentionSeconds: 3600, networks: t.networks },
      ),
    )
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await t.read(file.id)).toMatchObject({ deletedAt: expect.any(Date) })
    await using _next = await t.start()
    const subject = (type: string) => `events.file.${type}.v1.${file.id}`
    await waitFor(async () => (await t.database.sql('select from event where published_at is null')).length === 0, {
      what: 'every event to be published',
      timeoutMs: 150_000,
    })
    const { state } = await (await t.streams()).info(streams.events.name, { subjects_filter: 'events.>' })
    expect(state.subjects).toEqual({ [subject('hot')]: 1, [subject('deleted')]: 1 })
  })

  it.each(['evict.before-delete', 'evict.after-delete'])(
    'converges after kill -9 at %s, with one event and bytes at every moment',
    async (name) => {
      await t.failpoints.kill(name)
      await using killed = await t.start()
      const file = await t.syncedFile('hello')
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', hotKey: file.hotKey })
      expect(await t.isIntact(file)).toBe(true)
      // Neither the claim of the dead nor the broker's wait for its ack is sat out.
      await t.makeDue(file.id)
      await (await t.streams()).purge(streams.jobs.name)
      await using _worker = await t.start()
      await t.reaches(file.id, 'cold')
      expect(await t.hotTier.head(must(file.hotKey))).toBeNull()
      expect((await t.events(file.id)).slice(3)).toEqual(['copy.proved', 'evict.begun', 'file.cold'])
    },
  )

  it('evicts files whose jobs were lost with the whole stream, and ends in time on SIGTERM', async () => {
    await using worker = await t.start()
    const file = await t.syncedFile()
    await waitFor(async () => (await t.read(file.id)).evictingAt, { what: 'the file to be evicting' })
    await (await t.streams()).delete(streams.jobs.name)
    await t.reaches(file.id, 'cold')
    expect(await worker.stop()).toEqual({ code: 0, signal: null })
  })

  it('finishes confirms that nobody finished, and enqueues the store', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    // A confirm that died right after its second step.
    must(await beginCompleting(t.writes, file, { settleSeconds: 60, lostSeconds: 900 }))
    await using _worker = await t.start()
    await t.reaches(file.id, 'hot')
    expect(await t.events(file.id)).toEqual(['file.hot'])
    const jobs = await t.streams()
    await waitFor(() => jobs.getMessage(streams.jobs.name, { last_by_subj: `jobs.store.v1.embedded.${file.id}` }), {
      what: 'the job',
    })
  })

  it('leaves a confirm that is still young to its client', async () => {
    const [young, old] = [await t.begin(5), await t.begin(5)]
    for (const { file, url } of [young, old]) {
      await t.put(url, 'hello')
      must(await beginCompleting(t.writes, file, { settleSeconds: 60, lostSeconds: 900 }))
    }
    await t.assign(young.file.id, `completing_at = now() + interval '1 hour'`)
    await using _worker = await t.start()
    await t.reaches(old.file.id, 'hot')
    expect(await t.read(young.file.id)).toMatchObject({ status: 'uploading', fencingToken: 0 })
  })

  it.each(['purge.before-outside', 'purge.after-outside'])(
    'removes every trace of a purged file in spite of kill -9 at %s',
    async (name) => {
      const file = await t.syncedFile('hello')
      must(
        await purgeConfirmed(
          t.db,
          { accountId: t.accountId, fileId: file.id },
          { settleSeconds: 1, networks: t.networks },
        ),
      )
      await t.assign(file.id, `cleanup_after = now() + interval '1 second'`)
      await t.failpoints.kill(name)
      await using killed = await t.start()
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
      await t.assign(file.id, 'claimed_until = null')
      await using _worker = await t.start()
      const isGone = async () => (await t.database.sql('select 1 from file where id = $1', [file.id])).length === 0
      await waitFor(isGone, { what: 'the row to go' })
      expect(await t.hotTier.head(must(file.hotKey))).toBeNull()
      expect(await t.directory.list()).toEqual([])
    },
  )

  it('runs the periodic tasks of uploads, trash and clean-up', async () => {
    const [expired, trashed, settling] = [(await t.begin(5)).file, await t.hotFile(), await t.hotFile()]
    const remaining = async () => (await t.database.sql('select id from file')).map(({ id }) => id)
    await t.assign(expired.id, 'upload_expires_at = now(), cleanup_after = now()')
    await t.assign(settling.id, 'cleanup_after = now()')
    await t.assign(trashed.id, 'cleanup_after = null')
    must(
      await trashFile(
        t.db,
        { accountId: t.accountId, fileId: trashed.id },
        { retentionSeconds: 0, networks: t.networks },
      ),
    )
    await using _worker = await t.start()
    await waitFor(async () => (await remaining()).toString() === settling.id, { what: 'two files to go' })
    await waitFor(async () => (await t.read(settling.id)).cleanupAfter === null, { what: 'the third to settle' })
    expect(await t.hotTier.head(must(settling.hotKey))).toBe(5)
  })
})
