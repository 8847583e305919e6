import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { giveUpStoring } from '../later-states.ts'

const t = sharedBundle()

type Redriven = Record<'fileId' | 'outcome' | 'reason', string>

const accountId = newAccount()
const caller = () => clientOf(t, accountId, { method: 'jwt', subject: 'olga', isOperator: true })
const redrive = (json: object) => caller().call('POST', '/api/operator/redrive', { json })
const outcomes = (redriven: Redriven[]) => new Map(redriven.map(({ fileId, outcome }) => [fileId, outcome]))

async function failedFile(bytes: string) {
  const owner = clientOf(t)
  const { id } = await owner.hotFile(bytes)
  await giveUpStoring(t, id)
  return { id: id as string, owner }
}

const errorCodeIs = (id: string, code: string) =>
  t.database.sql('update file set error_code = $2 where id = $1', [id, code])
const runs = '/api/operator/runs'

describe('a redrive', () => {
  it('reports the files that it would retry, and changes nothing by default', async () => {
    const { id, owner } = await failedFile('one')
    const { status, body } = await redrive({ kind: 'files' })
    expect(status).toBe(200)
    expect(outcomes(body.redriven).get(id)).toBe('would_be_tried')
    expect((await owner.call('GET', `/api/files/${id}`)).body.status).toBe('error')
  })

  it('retries by the rules of the owner’s retry, and both logs name an operator', async () => {
    const [good, wrong, unknown] = [await failedFile('two'), await failedFile('three'), newAccount()]
    await errorCodeIs(wrong.id, 'checksum_mismatch')
    const json = { fileIds: [good.id, wrong.id, unknown], dryRun: false }
    const { body, headers } = await redrive(json)
    expect(Object.fromEntries(outcomes(body.redriven))).toEqual({
      [good.id]: 'retried',
      [wrong.id]: 'wrong_bytes',
      [unknown]: 'not_found',
    })
    expect((await good.owner.call('GET', `/api/files/${good.id}`)).body.status).toBe('hot')
    const log = await good.owner.call('GET', `/api/account/file-events?subjectId=${good.id}`)
    const [entry] = log.body.events
    expect(entry).toMatchObject({ kind: 'retry.accepted', clientAddress: null })
    expect(entry.actor).toEqual({ method: 'operator', keyId: null, keyPrefix: null, subject: null })

    const { events } = (await caller().call('GET', '/api/operator/events')).body
    expect(events[0]).toMatchObject({
      ...{ kind: 'redrive', accountId, subject: 'olga', requestId: headers.get('x-request-id') },
      details: { dryRun: false, named: 3, files: 2 },
    })
    expect(events[0].requestId).toBe(entry.requestId)
  })

  it('processes all files that match the filters in bounded batches', async () => {
    const files = [await failedFile('a'), await failedFile('b'), await failedFile('c')]
    for (const { id } of files) await errorCodeIs(id, 'interrupted')
    const seen: Redriven[] = []
    let batches = 0
    for (let cursor: string | null | undefined; cursor !== null; batches += 1) {
      const { body } = await redrive({ kind: 'files', error: 'interrupted', limit: 2, dryRun: false, cursor })
      expect(body.redriven.length).toBeLessThanOrEqual(2)
      seen.push(...body.redriven)
      cursor = body.nextCursor
    }
    expect(new Set(seen.map(({ fileId }) => fileId))).toEqual(new Set(files.map(({ id }) => id)))
    expect(new Set(seen.map(({ outcome }) => outcome))).toEqual(new Set(['retried']))
    expect(batches).toBe(2)
    expect((await redrive({ kind: 'files', error: 'interrupted' })).body.redriven).toEqual([])
    expect((await redrive({ kind: 'files', cursor: 'another' })).body).toMatchObject({
      ...{ code: 'validation_failed', error: 'The request body is not valid' },
      details: { issues: [{ path: 'cursor' }] },
    })
  })

  it('retries a file once for concurrent requests, and reports the change to the others', async () => {
    const { id } = await failedFile('both')
    const json = { fileIds: [id], dryRun: false }
    const answers = await Promise.all([redrive(json), redrive(json), redrive(json)])
    const came = answers.map(({ body }) => body.redriven[0].outcome as string)
    expect(came.filter((outcome) => outcome === 'retried')).toHaveLength(1)
    for (const outcome of came) expect(['retried', 'changed', 'not_in_error']).toContain(outcome)
  })

  it('is rejected without a valid selection, and for callers who are not operators', async () => {
    const stranger = await clientOf(t).call('POST', '/api/operator/redrive', { json: { kind: 'files' } })
    expect(stranger.status).toBe(404)
    const wrong = [
      {},
      { fileIds: [] },
      { kind: 'files', fileIds: [newAccount()] },
      { error: 'interrupted' },
      { kind: 'files', error: '\u0000' },
      { kind: 'files', error: '\ud800' },
      { kind: 'events' },
      { kind: 'files', limit: 101 },
      { kind: 'files', dryRun: 'no' },
      { fileIds: Array.from({ length: 101 }, newAccount) },
    ]
    for (const json of wrong) expect((await redrive(json)).status, JSON.stringify(json)).toBe(400)
  })
})

describe('operator runs', () => {
  it('are started one at a time per kind, shown, cancelled, and logged with their actors', async () => {
    const operator = caller()
    const { status, body: run } = await operator.call('POST', runs, { json: { kind: 'reconcile' } })
    expect([status, run]).toMatchObject([
      201,
      { kind: 'reconcile', state: 'queued', dryRun: true, counts: {}, findings: [], subject: 'olga', finishedAt: null },
    ])
    const second = await operator.call('POST', runs, { json: { kind: 'reconcile' } })
    expect([second.status, second.body.code]).toEqual([409, 'state_conflict'])
    const other = await operator.call('POST', runs, { json: { kind: 'verify', sample: 10, dryRun: false } })
    expect(other.body).toMatchObject({ kind: 'verify', sample: 10, dryRun: false })
    expect((await operator.call('GET', `${runs}/${run.id}`)).body).toEqual(run)

    const cancelled = await operator.call('POST', `${runs}/${run.id}/cancel`)
    expect(cancelled.body).toMatchObject({ id: run.id, state: 'cancelled', finishedAt: expect.any(String) })
    expect((await operator.call('POST', `${runs}/${run.id}/cancel`)).body).toEqual(cancelled.body)
    const pages = [await operator.call('GET', `${runs}?limit=1`)]
    pages.push(await operator.call('GET', `${runs}?limit=1&cursor=${pages[0]?.body.nextCursor}`))
    expect(pages.flatMap(({ body }) => body.runs.map(({ id }: { id: string }) => id))).toEqual([other.body.id, run.id])
    const { events } = (await operator.call('GET', '/api/operator/events')).body
    const told = events.map(({ kind, details }: { kind: string; details: { runId: string } }) => [kind, details.runId])
    expect(told).toContainEqual(['reconcile.started', run.id])
    expect(told).toContainEqual(['reconcile.cancelled', run.id])
  })

  it('reject fields that their kind does not support, and callers who are not operators', async () => {
    const wrong = [
      {},
      { kind: 'orphans' },
      { kind: 'reconcile', sample: 5 },
      { kind: 'verify', after: newAccount() },
      { kind: 'verify', network: 'nowhere' },
      { kind: 'verify', sample: 0 },
      { kind: 'verify', dryRun: 'false' },
    ]
    for (const json of wrong)
      expect((await caller().call('POST', runs, { json })).status, JSON.stringify(json)).toBe(400)
    expect((await clientOf(t).call('POST', runs, { json: { kind: 'verify' } })).status).toBe(404)
    for (const id of [newAccount(), 'x']) expect((await caller().call('GET', `${runs}/${id}`)).status).toBe(404)
  })
})
