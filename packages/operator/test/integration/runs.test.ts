import { randomUUID } from 'node:crypto'
import { log, must, never } from '@tideport/file-lifecycle/testing/bundle'
import { carryOnRun } from '@tideport/repair/runs/carry-on-run'
import { cancelRun, createRun, findRun, type RunRequest } from '@tideport/repair/runs/operator-run'
import { expect, it } from 'vitest'
import { setupInstallation, type TestInstallation } from '../installation.ts'

const start = async (t: TestInstallation, kind: 'reconcile' | 'verify', request: Partial<RunRequest> = {}) =>
  must(
    await createRun(t.db, {
      ...{ id: randomUUID(), kind, accountId: randomUUID(), subject: 'olga' },
      request: { dryRun: true, ...request },
    }),
  )
const deps = (t: TestInstallation) => ({ ...t, log, relay: { wake: () => {} }, copyCheckBytesPerSecond: 1e9 })
const carryOn = (t: TestInstallation, kind: 'reconcile' | 'verify', signal = never) => carryOnRun(deps(t), kind, signal)

it('reconcile lists differences in a dry run, and fixes them otherwise, like the command', async () => {
  await using t = await setupInstallation()
  const [lost] = [await t.coldFile('lost'), await t.coldFile('kept')]
  await t.loseCopy(lost)
  const dry = await start(t, 'reconcile')
  expect(await carryOn(t, 'reconcile')).toBe(true)
  const told = must(await findRun(t.db, dry.id))
  expect(told).toMatchObject({ state: 'done', counts: { files: 2, lost: 1, left: 1 }, error: null })
  expect(told.findings).toMatchObject([{ fileId: lost.id, difference: 'lost', outcome: 'left' }])
  expect((await t.read(lost.id)).status).toBe('cold')

  await start(t, 'reconcile', { dryRun: false })
  await carryOn(t, 'reconcile')
  expect(await t.read(lost.id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })
  const [event] = await t.database.sql(`select actor from event where subject_id = $1 and type = 'file.error'`, [
    lost.id,
  ])
  expect(event).toMatchObject({ actor: { method: 'operator', subject: null } })
  expect(await carryOn(t, 'reconcile')).toBe(false)
})

it('verify counts copies in a dry run, and otherwise reads them and lists those that fail', async () => {
  await using t = await setupInstallation()
  const [, bad] = [await t.coldFile('good'), await t.coldFile('bad!')]
  await t.loseCopy(bad)
  const checks = () => t.database.sql('select file_id, checks_ok, checks_failed, checked_at from copy order by file_id')
  const before = await checks()
  const dry = await start(t, 'verify')
  await carryOn(t, 'verify')
  expect(must(await findRun(t.db, dry.id))).toMatchObject({
    state: 'done',
    counts: { copies: 2, bytes: 8 },
    findings: [],
  })
  expect(await checks()).toEqual(before)
  for (const request of [{}, { sample: 100 }]) {
    const { id } = await start(t, 'verify', { dryRun: false, ...request })
    await carryOn(t, 'verify')
    const found = must(await findRun(t.db, id))
    expect(found).toMatchObject({ state: 'done', counts: { failed: 1 } })
    expect(found.findings).toMatchObject([{ fileId: bad.id, outcome: 'absent' }])
  }
})

it('runs once per kind and in one process, and a stopping process hands its run back', async () => {
  await using t = await setupInstallation()
  await t.coldFile()
  const { id } = await start(t, 'verify', { dryRun: false })
  const again = { id: randomUUID(), kind: 'verify', accountId: randomUUID(), subject: null } as const
  expect(await createRun(t.db, { ...again, request: { dryRun: true } })).toBeNull()
  const stopped = AbortSignal.abort(new Error('stopping'))
  expect(await carryOn(t, 'verify', stopped)).toBe(true)
  expect(must(await findRun(t.db, id))).toMatchObject({ state: 'running', finishedAt: null })
  const both = await Promise.all([carryOn(t, 'verify'), carryOn(t, 'verify')])
  expect(both.toSorted()).toEqual([false, true])
  expect(must(await findRun(t.db, id))).toMatchObject({ state: 'done', counts: { proved: 1 } })
})

it('draws no conclusion while a tier is unavailable: the run is postponed with a reason, and can be cancelled', async () => {
  await using t = await setupInstallation()
  const file = await t.coldFile()
  const { id } = await start(t, 'reconcile', { dryRun: false })
  const away = { ...t.hotTier, health: () => Promise.reject(new Error('The bucket is away')) }
  await carryOnRun({ ...deps(t), hotTier: away as never }, 'reconcile', never)
  expect(must(await findRun(t.db, id))).toMatchObject({ state: 'running', attempt: 1, error: 'The bucket is away' })
  expect((await t.read(file.id)).status).toBe('cold')
  expect(must(await cancelRun(t.db, id))).toMatchObject({ state: 'cancelled' })
  expect(await cancelRun(t.db, id)).toBeNull()
  expect(await carryOn(t, 'reconcile')).toBe(false)
  await start(t, 'reconcile')
})
