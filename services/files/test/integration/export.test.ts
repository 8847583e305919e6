import { claimJobs } from '@tideport/bulk-jobs/jobs/claim-jobs'
import { manifestLine } from '@tideport/contracts/public/manifest'
import { jobKinds } from '@tideport/export/job/job-kinds'
import { expireUploads } from '@tideport/file-lifecycle/upload/clean-up-uploads'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { expect, it } from 'vitest'
import { setup, sharedBundle } from '../bundle.ts'
import { clientOf, encryption } from '../client.ts'
import { exportedFiles, finishJob } from '../exporting.ts'
import { expectCounted } from '../owner-of-many.ts'

const t = sharedBundle()

const linesOf = (files: ReadonlyMap<string, Buffer>) =>
  [...files]
    .filter(([name]) => name.endsWith('.ndjson'))
    .flatMap(([, bytes]) => bytes.toString().trimEnd().split('\n'))
    .map((line) => manifestLine.parse(JSON.parse(line)))

async function exporting(bundle = t) {
  const client = clientOf(bundle)
  const vault = await client.createVault('Mine', 'private')
  const start = (json: object = {}, headers = {}) => client.call('POST', '/api/account/export', { json, headers })
  return { ...client, vault, start, finish: (id: string) => finishJob(bundle, client, id) }
}

it('an export creates a private vault that other exports skip and that accepts no other files', async () => {
  const owner = await exporting()
  const sealed = await owner.hotFile('encrypted', { vaultId: owner.vault.id, name: 'a', ...encryption })
  const open = await owner.hotFile('open', { name: 'b' })
  for (const round of [1, 2]) {
    const { status, body } = await owner.start({ filesExpireAfterSeconds: 3600 })
    expect(status).toBe(201)
    expect(await owner.finish(body.id)).toMatchObject({ kind: 'export', state: 'done', done: 2, failed: 0 })
    const vault = (await owner.call('GET', `/api/vaults/${body.toVaultId}`)).body
    expect(vault).toMatchObject({ visibility: 'private', isExport: true, fileCount: 3, filesExpireAfterSeconds: 3600 })
    expect(vault.name).toMatch(/^export-\d{4}-\d\d-\d\d$/)
    const files = await exportedFiles(owner, body.toVaultId)
    expect([...files.keys()]).toEqual(['manifest-000001.ndjson', 'manifest-000002.ndjson', 'part-000002.car'])
    const lines = linesOf(files)
    expect(lines.map(({ type }) => type)).toEqual(['tideport-manifest', 'vault', 'vault', 'file', 'file', 'end'])
    const told = lines.filter((line) => line.type === 'file')
    expect(told.map(({ id, wrappedKey }) => [id, wrappedKey])).toEqual([
      [sealed.id, encryption.wrappedKey],
      [open.id, null],
    ])
    expect(lines.at(-1)).toEqual({ type: 'end', vaults: 2, files: 2, bytes: 13 })
    if (round === 2) break
    const list = (await owner.call('GET', `/api/files?vaultId=${body.toVaultId}`)).body.files
    const [first] = list as { id: string; wrappedKey: null; status: string }[]
    expect(first).toMatchObject({ wrappedKey: null, status: 'hot' })
    const target = { toVaultId: owner.vault.id, to: '', ids: [first?.id] }
    expect((await owner.call('POST', `/api/vaults/${body.toVaultId}/move`, { json: target })).status).toBe(409)
    const into = { vaultId: body.toVaultId, sizeBytes: 1, name: 'x' }
    expect((await owner.requestUpload(into)).body.code).toBe('state_conflict')
    expect((await owner.requestUpload({ ...into, ...encryption })).body.code).toBe('state_conflict')
    expect((await owner.call('PUT', `/api/vaults/${body.toVaultId}/content/x`)).status).toBe(409)
  }
  await expectCounted(t, owner)
})

it('an export beyond the quota is rejected before anything is created, and fails when the quota is exceeded later', async () => {
  await using small = await setup({ env: { ACCOUNT_QUOTA_BYTES: '30000' } })
  const owner = await exporting(small)
  await owner.hotFile('x'.repeat(9000))
  const { status, body } = await owner.start()
  expect([status, body.id]).toEqual([201, expect.any(String)])
  await owner.hotFile('y'.repeat(14_000))
  expect(await owner.finish(body.id)).toMatchObject({ state: 'failed', errorCode: 'quota_exceeded' })
  const before = (await owner.call('GET', '/api/vaults')).body.vaults.length
  const refused = await owner.start()
  expect([refused.status, refused.body]).toEqual([
    403,
    expect.objectContaining({ code: 'quota_exceeded', details: expect.objectContaining({ quotaBytes: 30_000 }) }),
  ])
  expect((await owner.call('GET', '/api/vaults')).body.vaults.length).toBe(before)
  await expectCounted(small, owner)
})

it('a repeated request creates one export, and the key needs files:read and no limits', async () => {
  const owner = await exporting()
  const headers = { 'idempotency-key': 'once' }
  const [first, second] = [await owner.start({}, headers), await owner.start({}, headers)]
  expect([second.status, second.body.id]).toEqual([201, first.body.id])
  const exports = (await owner.call('GET', '/api/vaults')).body.vaults.filter(
    (one: { isExport: boolean }) => one.isExport,
  )
  expect(exports).toHaveLength(1)
  const limits = { vaultIds: null, prefixes: null, verbs: null, budgets: [{ id: owner.accountId, bytesPerDay: 5 }] }
  for (const rights of [
    { scopes: ['files:write'] },
    { limits },
    { limits: { ...limits, budgets: [], verbs: ['read'] } },
  ]) {
    const { status } = await clientOf(t, owner.accountId, rights as never).call('POST', '/api/account/export', {
      json: {},
    })
    expect(status).toBe(403)
  }
  await owner.finish(first.body.id) // finishes the job, so other tests do not run it
})

it('an export reports a file with lost bytes and exports all others', async () => {
  const owner = await exporting()
  const files = []
  for (const name of ['a', 'b', 'c', 'd']) files.push(await owner.hotFile(name, { name }))
  for (const index of [1, 2]) {
    const [row] = await t.database.sql<{ hot_key: string }>('select hot_key from file where id = $1', [files[index].id])
    await t.hotTier.remove(row?.hot_key ?? '')
  }
  const { body } = await owner.start()
  const job = await owner.finish(body.id)
  expect(job).toMatchObject({ state: 'done', done: 2, failed: 2 })
  expect(job.failures.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
    ['b', 'content_lost'],
    ['c', 'content_lost'],
  ])
  const told = linesOf(await exportedFiles(owner, body.toVaultId)).filter((line) => line.type === 'file')
  expect(told.map(({ path, parts }) => [path, parts !== undefined])).toEqual([
    ['a', true],
    ['b', false],
    ['c', false],
    ['d', true],
  ])
  await expectCounted(t, owner)
})

it('a cancelled export immediately removes the unfinished files of a crashed process', async () => {
  const owner = await exporting()
  await owner.hotFile('open', { name: 'a' })
  const { body } = await owner.start()
  const { signal } = new AbortController()
  const deps = {
    ...t.config,
    ...t,
    relay: { wake: () => {} },
    log: createLogger({ service: 'workers', level: 'silent' }),
  }
  const [begun, death] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  const store = () => {
    begun.resolve()
    return death.promise
  }
  const kinds = jobKinds(null)
  const [job] = await claimJobs({ db: t.db, kinds }, 'slow', 1)
  if (job === undefined) throw new Error('The export is not due')
  const dying = { ...deps, hotTier: { ...t.hotTier, store } }
  const batch = kinds.export.advance(dying, job, { limit: 500, isSlow: false, signal })
  await begun.promise
  const open = () =>
    t.database.sql(`select from file where vault_id = $1 and status = 'uploading' and purging_at is null`, [
      body.toVaultId,
    ])
  expect(await open()).toHaveLength(1)
  expect((await owner.call('POST', `/api/jobs/${body.id}/cancel`)).body.state).toBe('cancelled')
  await expireUploads({ ...deps, circuit: { answers: () => Promise.resolve(true) } }, signal)
  expect(await open()).toEqual([])
  await expectCounted(t, owner)
  death.reject(new Error('The store was never asked'))
  await expect(batch).rejects.toThrow('The store was never asked')
})
