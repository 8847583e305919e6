import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bundle, newAccount, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

const path = '/api/operator/runs'
const caller = () => clientOf(t, undefined, { method: 'jwt', subject: 'olga', isOperator: true })

it('starts a run, of a kind one at a time, shows it, and cancels it, and the log tells who', async () => {
  const operator = caller()
  const { status, body: run } = await operator.call('POST', path, { json: { kind: 'reconcile' } })
  expect([status, run]).toMatchObject([
    201,
    { kind: 'reconcile', state: 'queued', dryRun: true, counts: {}, findings: [], subject: 'olga', finishedAt: null },
  ])
  const second = await operator.call('POST', path, { json: { kind: 'reconcile' } })
  expect([second.status, second.body.code]).toEqual([409, 'state_conflict'])
  const other = await operator.call('POST', path, { json: { kind: 'verify', sample: 10, dryRun: false } })
  expect(other.body).toMatchObject({ kind: 'verify', sample: 10, dryRun: false })
  expect((await operator.call('GET', `${path}/${run.id}`)).body).toEqual(run)

  const cancelled = await operator.call('POST', `${path}/${run.id}/cancel`)
  expect(cancelled.body).toMatchObject({ id: run.id, state: 'cancelled', finishedAt: expect.any(String) })
  expect((await operator.call('POST', `${path}/${run.id}/cancel`)).body).toEqual(cancelled.body)
  const pages = [await operator.call('GET', `${path}?limit=1`)]
  pages.push(await operator.call('GET', `${path}?limit=1&cursor=${pages[0]?.body.nextCursor}`))
  expect(pages.flatMap(({ body }) => body.runs.map(({ id }: { id: string }) => id))).toEqual([other.body.id, run.id])
  const { events } = (await operator.call('GET', '/api/operator/events')).body
  const told = events.map(({ kind, details }: { kind: string; details: { runId: string } }) => [kind, details.runId])
  expect(told).toContainEqual(['reconcile.started', run.id])
  expect(told).toContainEqual(['reconcile.cancelled', run.id])
})

it('refuses what a kind does not take, and all who are no operators', async () => {
  const wrong = [
    {},
    { kind: 'orphans' },
    { kind: 'reconcile', sample: 5 },
    { kind: 'verify', after: newAccount() },
    { kind: 'verify', network: 'nowhere' },
    { kind: 'verify', sample: 0 },
    { kind: 'verify', dryRun: 'false' },
  ]
  for (const json of wrong) expect((await caller().call('POST', path, { json })).status, JSON.stringify(json)).toBe(400)
  expect((await clientOf(t).call('POST', path, { json: { kind: 'verify' } })).status).toBe(404)
  for (const id of [newAccount(), 'x']) expect((await caller().call('GET', `${path}/${id}`)).status).toBe(404)
})
