import type { IncomingMessage } from 'node:http'
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { createBucket, type OwnS3, startS3 } from '@tideport/testing/s3'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import type { NetworkSettings } from '../../src/copies/network-settings.ts'
import { purgeConfirmed } from '../../src/removal/purge.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { must } from '../bundle.ts'
import { setupNetworks } from '../networks-bundle.ts'

/** Larger than a part, so its bytes and its tree are separate objects. */
const LARGE = 'tideport '.repeat(1_100_000)

interface Options extends OwnS3 {
  /** In addition to the network in the bucket. */
  disks?: string[]
  more?: Partial<NetworkSettings>
}

/** Files on a network named `vault` in another bucket, which can fail, and on this many disks. */
async function setup({ versions, disks = [], more = {} }: Options = {}) {
  const stack = new AsyncDisposableStack()
  const bucket = stack.adopt(
    await (versions ? startS3({ versions }) : createBucket()),
    async (one) => await one.dispose(),
  )
  const front = stack.use(await startFrontOfStore(bucket.settings))
  const t = stack.use(await setupNetworks('vault', ...disks))
  const restore = { tier: 'standard', days: 1 } as const
  const vault = {
    ...{ name: 'vault', driver: 's3', role: 'required', ...front.settings, forcePathStyle: true, restore },
    ...more,
  } as NetworkSettings
  const roles = Object.fromEntries(['vault', ...disks].map((name) => [name, 'required' as const]))
  const configured = await t.configure(roles, { vault })
  async function keys(): Promise<string[]> {
    const { Contents = [] } = await bucket.client.send(new ListObjectsV2Command({ Bucket: bucket.bucket }))
    return Contents.map(({ Key = '' }) => Key).filter((key) => key !== 'tideport-network.json')
  }
  const { startOver } = t
  return Object.assign(t, configured, {
    ...{ front, keys },
    async startOver() {
      front.pass()
      for (const Key of await keys()) await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.bucket, Key }))
      await startOver()
    },
    leaveVault: () => t.configure({ ...roles, vault: 'leaving' }, { vault }),
    beginPurge: async ({ id: fileId, accountId }: FileRow) =>
      must(await purgeConfirmed(t.db, { fileId, accountId }, { settleSeconds: 3600, networks: configured.networks })),
    failBy: (status: number, code: string, of: (request: IncomingMessage) => boolean = () => true) =>
      front.answerBy((request, response) => {
        if (!of(request)) return false
        const body = `<Error><Code>${code}</Code><Message>No</Message></Error>`
        response.writeHead(status, { 'content-length': body.length }).end(body)
        return true
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}

const isRead = ({ method }: IncomingMessage) => method === 'GET'

describe('a file on a network in a bucket', () => {
  const t = setUpOnce(setup)

  it.each([
    ['small', 'hello'],
    ['large', LARGE],
  ])('goes from upload to cold, is read and checked, and is purged completely: a %s one', async (_, body) => {
    const file = await t.coldFile(body)
    expect(await t.bytesOf(file)).toBe(body)
    expect(await t.copy(file, 'vault')).toMatchObject({ state: 'proved', leaseExpiresAt: null, ref: {} })
    await t.assignCopies(file.id, 'due_at = now()')
    await t.check('vault')
    expect(await t.copy(file, 'vault')).toMatchObject({ state: 'proved', checksOk: 2 })
    expect(await t.keys()).toHaveLength(body === LARGE ? 2 : 1)
    await t.beginPurge(file)
    await t.purge(file)
    expect(await t.keys()).toEqual([])
  })

  it('records its version and lease in a bucket with locks, and renews the lease', async () => {
    const lock = { mode: 'governance', days: 40 } as const
    await using t = await setup({ versions: 'locked', more: { lock } as Partial<NetworkSettings> })
    const file = await t.coldFile('hello')
    const copy = await t.copy(file, 'vault')
    expect(copy).toMatchObject({ state: 'proved', ref: { version: expect.any(String) } })
    const before = must(copy.leaseExpiresAt)
    expect(before.getTime() - Date.now()).toBeGreaterThan(39 * 86_400_000)
    await t.assignCopies(file.id, `renew_due_at = now(), lease_expires_at = lease_expires_at - interval '9 days'`)
    await t.renew('vault')
    const renewed = must((await t.copy(file, 'vault')).leaseExpiresAt)
    expect(renewed.getTime()).toBeGreaterThanOrEqual(before.getTime())
    await t.beginPurge(file)
    await t.purge(file)
    expect(await t.keys()).toEqual([])
  })

  it('is never lost in an outage: workers hand the file back, and reads are unavailable', async () => {
    const cold = await t.coldFile('hello')
    const hot = await t.hotFile('another')
    for (const [status, code] of [
      [403, 'AccessDenied'],
      [503, 'SlowDown'],
      [404, 'NoSuchBucket'],
    ] as const) {
      t.failBy(status, code)
      await expect(t.bytesOf(cold)).rejects.toMatchObject({ code: 'unavailable' })
      await t.assignCopies(cold.id, 'due_at = now(), claimed_until = null')
      await expect(t.check('vault')).rejects.toMatchObject({ code: 'unreachable' })
      expect(await t.copy(cold, 'vault')).toMatchObject({ state: 'proved', checksFailed: 0, attempt: 0 })
      await t.makeDue(hot.id)
      await t.store(hot, 'vault')
      expect(await t.copy(hot, 'vault')).toMatchObject({ state: 'planned', attempt: 0 })
    }
    t.front.pass()
    await t.makeDue(hot.id)
    await t.store(hot, 'vault')
    expect(await t.copy(hot, 'vault')).toMatchObject({ state: 'stored' })
    expect(await t.bytesOf(cold)).toBe('hello')
  })

  it('in an archive is restored, reports the waiting time, and never counts as failed', async () => {
    const file = await t.coldFile('hello')
    t.front.answerBy((request, response) => {
      const isOfCopy = request.url?.includes('/ba')
      if (isOfCopy && request.method === 'POST') response.writeHead(202, { 'content-length': 0 }).end()
      else if (isOfCopy && isRead(request)) {
        const body = '<Error><Code>InvalidObjectState</Code><Message>Archived</Message></Error>'
        response.writeHead(403, { 'content-length': body.length }).end(body)
      } else return false
      return true
    })
    await expect(t.bytesOf(file)).rejects.toMatchObject({ code: 'restoring', retryAfterSeconds: 5 * 3600 })

    await t.assignCopies(file.id, 'due_at = now()')
    await t.check('vault')
    const copy = await t.copy(file, 'vault')
    expect(copy).toMatchObject({ state: 'proved', checksFailed: 0, attempt: 0 })
    expect(must(copy.dueAt).getTime() - Date.now()).toBeGreaterThan(4 * 3600_000)

    await t.assign(file.id, 'rehydrate_due_at = now()')
    await t.rehydrate(file)
    const waiting = await t.read(file.id)
    expect(waiting).toMatchObject({ status: 'cold', errorCode: null })
    expect(must(waiting.rehydrateDueAt).getTime() - Date.now()).toBeGreaterThan(4 * 3600_000)
    t.front.pass()
    await t.makeDue(file.id)
    await t.rehydrate(file)
    expect((await t.read(file.id)).hotKey).not.toBeNull()
  })

  it('is checked while the budget of the day lasts, and again on the next day', async () => {
    await using t = await setup({ more: { checkBudget: { bytesPerDay: 12, requestsPerDay: undefined } } })
    // All checks run on the same day.
    await t.database.sql(`create function check_day() returns trigger language plpgsql as
      $$ begin new.day := '2100-01-01'; return new; end $$`)
    await t.database.sql(
      `create trigger one_day before insert on check_spending for each row execute function check_day()`,
    )
    const files = [await t.coldFile('1_______'), await t.coldFile('2_______'), await t.coldFile('3_______')]
    const makeDue = () => Promise.all(files.map(({ id }) => t.assignCopies(id, 'due_at = now()')))
    const checked = async () =>
      (await Promise.all(files.map((file) => t.copy(file, 'vault')))).map(({ checksOk }) => checksOk)
    await makeDue()
    await t.check('vault')
    expect((await checked()).toSorted()).toEqual([1, 2, 2])
    const left = must(
      (await Promise.all(files.map((file) => t.copy(file, 'vault')))).find(({ checksOk }) => checksOk === 1),
    )
    expect(left).toMatchObject({ state: 'proved', claimedUntil: null })
    expect(must(left.dueAt).getUTCHours()).toBe(0)
    await makeDue()
    await t.check('vault')
    expect((await checked()).toSorted()).toEqual([1, 2, 2])
    await t.database.sql(`update check_spending set day = day - 1`)
    await makeDue()
    await t.check('vault')
    expect((await checked()).reduce((sum, count) => sum + count)).toBe(7)
  })
})

describe('a file on a disk and in a bucket', () => {
  const t = setUpOnce(() => setup({ disks: ['attic'] }))

  it('is read from the disk while the bucket fails, evicted only with both copies, and healed from the other copy', async () => {
    const file = await t.hotFile(LARGE)
    t.failBy(503, 'SlowDown')
    await t.store(file, 'vault')
    await t.store(file, 'attic')
    await t.prove(file, 'attic')
    await t.evict(file)
    expect(await t.states(file)).toEqual({ vault: 'planned', attic: 'proved' })
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictingAt: null })
    t.front.pass()
    await t.makeDue(file.id)
    await t.store(file, 'vault')
    await t.prove(file, 'vault')
    await t.evict(file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
    t.failBy(500, 'InternalError', isRead)
    expect(await t.bytesOf(file)).toBe(LARGE)
    t.front.pass()

    await t.spoilCopy(file, 'attic')
    expect(await t.bytesOf(file)).toBe(LARGE)
    await t.check('attic')
    expect(await t.states(file)).toEqual({ vault: 'proved', attic: 'planned' })
    await t.store(file, 'attic')
    await t.prove(file, 'attic')
    expect(await t.states(file)).toEqual({ vault: 'proved', attic: 'proved' })
    const ids = [(await t.copy(file, 'attic')).blobId, (await t.copy(file, 'vault')).blobId]
    expect(new Set(ids).size).toBe(1)
  })

  it('leaves a leaving bucket after the disk has it', async () => {
    const file = await t.coldFile('hello')
    const leaving = await t.leaveVault()
    await leaving.walk()
    expect(await t.states(file)).toEqual({ vault: 'dropping', attic: 'proved' })
    expect(await t.bytesOf(file)).toBe('hello')
    await t.makeDue(file.id)
    await leaving.drop('vault')
    expect(await t.states(file)).toEqual({ vault: 'dropped', attic: 'proved' })
    expect(await t.keys()).toEqual([])
    const { blobId } = await t.copy(file, 'vault')
    const bucket = must(leaving.networks.get('vault'))
    await expect(bucket.open({ blobId: must(blobId) }, { signal: AbortSignal.timeout(9000) })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await leaving.bytesOf(file)).toBe('hello')
  })
})
