import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { limitedKey } from '../client.ts'
import { expectCounted, ownerOfMany } from '../owner-of-many.ts'

const t = sharedBundle({ logLevel: 'error' })

const owner = () => ownerOfMany(t)

describe('many files below a folder', () => {
  it('move with their subfolders in a job, which shows its requester and outcome', async () => {
    const client = await owner()
    for (const path of ['a/1', 'a/b/2', 'a/b/2', 'ab/3', 'c/1']) await client.send(path)
    const job = await client.job('move', { prefix: 'a/', to: 'c/', onConflict: 'fail' })
    expect(job).toMatchObject({
      ...{ kind: 'move', state: 'done', prefix: 'a/', to: 'c/', onConflict: 'fail', done: 1, failed: 2, error: null },
      failures: [{ path: 'a/1', code: 'path_taken' }, { path: 'a/b/2', code: 'path_taken' }], // biome-ignore format: one claim
      actor: { method: 'job', jobId: job.id },
    })
    expect(await client.paths()).toEqual(['a/1', 'a/b/2', 'ab/3', 'c/1', 'c/b/2'])
    const [event] = await t.database.sql(
      `select actor->>'jobId' as job from event where account_id = $1 and type = 'file.changed'`,
      [client.accountId],
    )
    expect(event).toEqual({ job: job.id })
    expect((await client.call('GET', '/api/jobs')).body.jobs.map(({ id }: { id: string }) => id)).toEqual([job.id])
    await expectCounted(t, client)
  })

  it('move into their own folder and out of it, each once', async () => {
    const client = await owner()
    for (const path of ['a/a/a/1', 'a/a/2', 'a/3', '4']) await client.send(path)
    expect(await client.job('move', { prefix: 'a/a/', to: 'a/' })).toMatchObject({ done: 2, failed: 0 })
    expect(await client.paths()).toEqual(['4', 'a/2', 'a/3', 'a/a/1'])
    expect(await client.job('move', { prefix: '', to: 'z/y/' })).toMatchObject({ done: 4 })
    expect(await client.paths()).toEqual(['z/y/4', 'z/y/a/2', 'z/y/a/3', 'z/y/a/a/1'])
    expect(await client.job('move', { prefix: 'z/y/', to: '', onConflict: 'replace' })).toMatchObject({ done: 4 })
    expect(await client.paths()).toEqual(['4', 'a/2', 'a/3', 'a/a/1'])
  })

  it('are trashed, restored except for replaced files, and deleted', async () => {
    const client = await owner()
    await client.send('a/1')
    for (const path of ['a/1', 'a/2', 'b']) await client.send(path, 'replace')
    expect(await client.job('trash', { prefix: 'a/' })).toMatchObject({ done: 2, failed: 0 })
    expect(await client.paths()).toEqual(['b'])
    expect(await client.job('restore-files', { prefix: 'a/' })).toMatchObject({
      ...{ kind: 'restore', done: 2, failed: 1, failures: [{ path: 'a/1', code: 'path_taken' }] },
    })
    expect(await client.paths()).toEqual(['a/1', 'a/2', 'b'])
    expect(await client.job('delete', { prefix: 'a/' })).toMatchObject({ done: 2 })
    expect(await client.paths('true')).toEqual(['a/1', 'b'])
    expect(await client.job('delete', { prefix: 'a/', trashed: true })).toMatchObject({ done: 1 })
    expect(await client.paths('true')).toEqual(['b'])
    await expectCounted(t, client)
  })

  it('are restored only if trashed since a job, and can be all files of a vault', async () => {
    const client = await owner()
    for (const path of ['a/1', 'a/2', 'a/3', 'b']) await client.send(path)
    expect(await client.job('trash', { prefix: 'a/2' })).toMatchObject({ done: 1 })
    const { createdAt: trashedSince } = await client.job('trash', { prefix: '' })
    expect(await client.paths()).toEqual([])
    expect(await client.job('restore-files', { prefix: 'a/', trashedSince })).toMatchObject({ done: 2, failed: 0 })
    expect(await client.paths()).toEqual(['a/1', 'a/3'])
    expect(await client.job('restore-files', { prefix: '' })).toMatchObject({ done: 2 })
    expect(await client.paths()).toEqual(['a/1', 'a/2', 'a/3', 'b'])
    for (const wrong of [
      { ids: ['x'], trashedSince },
      { prefix: 'a/', trashedSince: 'then' },
    ])
      expect((await client.many('restore-files', wrong)).status).toBe(400)
    expect((await client.many('delete', { prefix: '' })).status).toBe(400)
  })

  it('run once per idempotency key, and in a limited number of jobs', async () => {
    const client = await owner()
    await client.send('a/1')
    await t.database.sql(`insert into account_job (id, account_id, kind, lane, vault_id, request, request_id, traceparent)
      select gen_random_uuid(), $1, 'trash', $2, $2, '{"prefix": "none"}', '', '' from generate_series(1, 15)`, [client.accountId, client.vaultId]) // biome-ignore format: one statement
    await t.database.sql(`update account_job set due_at = now() + interval '1 day' where account_id = $1`, [
      client.accountId,
    ])
    const headers = { 'idempotency-key': 'once' }
    const first = await client.many('trash', { prefix: 'a/' }, { headers })
    expect(first.body.job.state).toBe('queued')
    expect((await client.many('trash', { prefix: 'a/' }, { headers })).body.job.id).toBe(first.body.job.id)
    expect((await client.many('trash', { prefix: 'b/' }, { headers })).status).toBe(422)
    expect(await client.many('trash', { prefix: 'a/' })).toMatchObject({ status: 429, body: { code: 'too_many_jobs' } })
    const cancelled = await client.call('POST', `/api/jobs/${first.body.job.id}/cancel`)
    expect(cancelled.body).toMatchObject({ state: 'cancelled', finishedAt: expect.any(String) })
    expect((await client.call('POST', `/api/jobs/${first.body.job.id}/cancel`)).body).toEqual(cancelled.body)
    const log = (await client.call('GET', '/api/account/file-events?kind=job.cancelled')).body.events
    expect(log).toEqual([
      expect.objectContaining({
        ...{ subject: 'account', subjectId: client.accountId, actor: expect.objectContaining({ method: 'api_key' }) },
        details: expect.objectContaining({ jobId: first.body.job.id, vaultId: cancelled.body.vaultId, done: 0 }),
      }),
    ])
    expect(await client.paths()).toEqual(['a/1'])
  })
})

describe('jobs', () => {
  it('of vaults outside a key’s limits return 404', async () => {
    const client = await owner()
    const { id: other } = await client.createVault('Other', 'public')
    const here = (await client.many('trash', { prefix: 'x' })).body.job.id
    const there = (await client.many('move', { prefix: 'x/', to: 'y/', toVaultId: other })).body.job.id
    const key = limitedKey(t, client, { vaultIds: [client.vaultId] })
    const ask = async (by: typeof key, id: string) => [
      (await by.call('GET', `/api/jobs/${id}`)).status,
      (await by.call('POST', `/api/jobs/${id}/cancel`)).status,
    ]
    expect([await ask(key, here), await ask(key, there)]).toEqual([[200, 200], [404, 404]]) // biome-ignore format: one claim
    expect((await key.call('GET', '/api/jobs')).body.jobs.map(({ id }: { id: string }) => id)).toEqual([here])
    const move = (json: object) => key.call('POST', `/api/vaults/${client.vaultId}/move`, { json: { prefix: 'x/', to: 'y/', ...json } }) // biome-ignore format: one call
    expect((await move({ toVaultId: other })).status).toBe(404)
    expect((await key.call('POST', `/api/vaults/${other}/trash`, { json: { prefix: 'x' } })).status).toBe(404)
    const changer = limitedKey(t, client, { vaultIds: [client.vaultId], verbs: ['change'] })
    const replacing = { json: { prefix: 'x/', to: 'y/', onConflict: 'replace' } }
    expect((await changer.call('POST', `/api/vaults/${client.vaultId}/move`, replacing)).status).toBe(403)
    expect((await changer.call('POST', `/api/vaults/${client.vaultId}/delete`, { json: { prefix: 'x' } })).status).toBe(
      403,
    )
  })

  it('fail with a message when their vault is trashed', async () => {
    const client = await owner()
    const { id: other } = await client.createVault('Other', 'public')
    await client.send('x/a')
    const hold = await t.database.sql(`insert into account_job (id, account_id, kind, lane, vault_id, request, request_id, traceparent, due_at)
      values (gen_random_uuid(), $1, 'trash', $2, $2, '{"prefix": "none"}', '', '', now() + interval '1 day') returning id`, [client.accountId, client.vaultId]) // biome-ignore format: one statement
    const { body } = await client.many('move', { prefix: 'x/', to: 'y/', toVaultId: other })
    await client.call('DELETE', `/api/vaults/${other}`)
    await client.call('POST', `/api/jobs/${hold[0]?.id}/cancel`)
    await client.many('trash', { prefix: 'none' })
    const read = async () => (await client.call('GET', `/api/jobs/${body.job.id}`)).body
    await waitFor(async () => (await read()).state === 'failed', { what: 'the job to fail' })
    expect(await read()).toMatchObject({ errorCode: 'state_conflict', done: 0 })
    const { text } = await t.metrics.render()
    expect(text).toMatch(/account_jobs_ended_total\{kind="move",outcome="refused"[^}]*\} 1\n/)
    expect(text).toMatch(/account_jobs_ended_total\{kind="move",outcome="done"[^}]*\} [1-9]/)
    expect(text).toMatch(/account_jobs_ended_total\{kind="trash",outcome="cancelled"[^}]*\} [1-9]/)
    expect(text).toMatch(/account_job_duration_seconds_count\{[^}]*kind="trash"[^}]*\} [1-9]/)
    expect(await client.paths()).toEqual(['x/a'])
  })
})
