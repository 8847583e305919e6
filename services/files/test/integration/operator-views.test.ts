import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { setup, sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { giveUpStoring } from '../later-states.ts'

const t = sharedBundle()

const operator = () => clientOf(t, undefined, { method: 'jwt', isOperator: true })

it('returns 404 for an account that is not an operator, with any rights', async () => {
  for (const path of ['overview', 'networks', 'release', 'dead-letters?kind=files']) {
    const { status, body } = await clientOf(t).call('GET', `/api/operator/${path}`)
    expect([status, body]).toEqual([404, { error: 'Not found', code: 'not_found' }])
  }
})

it('shows the number of files in each state and of permanent failures for all accounts', async () => {
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  await giveUpStoring(t, file.id)
  const fine = await owner.hotFile('fine')
  await t.database.sql(`update copy set state = 'failed', due_at = null where file_id = $1`, [fine.id])
  await t.database.sql('update turn set held_until = now()')
  const body = await waitFor(async () => {
    const { body } = await operator().call('GET', '/api/operator/overview')
    return body.files?.error === 1 ? body : undefined
  })
  expect(body).toMatchObject({
    takenAt: expect.stringMatching(/Z$/),
    files: { hot: 1, error: 1, uploading: 0, synced: 0, cold: 0 },
    deadLetters: { files: 1, copies: 1, events: 0 },
    copies: [{ network: 'embedded', lost: 0 }],
    jobs: { open: 0 },
    events: { unpublished: expect.any(Number) },
  })
  expect(body.due).toContainEqual({ queue: 'evict', oldestSeconds: 0 })
})

it('shows the health of each network and the workers that wait for it', async () => {
  const processId = randomUUID()
  await t.database.sql(`insert into open_circuit (process, service, needs) values ($1, 'sync', 'embedded')`, [
    processId,
  ])
  await t.database.sql(`insert into open_circuit (process, service, needs, told_at)
    values (gen_random_uuid(), 'sync', 'embedded', now() - interval '1 minute')`)
  const body = await waitFor(
    async () => {
      const { body } = await operator().call('GET', '/api/operator/networks')
      return body.networks[0]?.works && body.hotTier.works ? body : undefined
    },
    { what: 'a network that answers in time' },
  )
  expect(body.networks).toMatchObject([
    { name: 'embedded', driver: 'embedded', role: 'required', works: true, fault: null },
  ])
  expect(body.networks[0].freeBytes).toBeGreaterThan(0)
  expect(body.hotTier).toEqual({ works: true })
  expect(body.openCircuits).toMatchObject([{ process: processId, service: 'sync', needs: 'embedded' }])
})

it('shows why a network is unhealthy', async () => {
  await using broken = await setup()
  await rm(broken.directory.path, { recursive: true })
  const body = await waitFor(async () => {
    const { body } = await clientOf(broken, undefined, { isOperator: true }).call('GET', '/api/operator/networks')
    return body.networks[0]?.works === null ? undefined : body
  })
  expect(body.networks).toMatchObject([{ name: 'embedded', works: false, fault: 'missing' }])
})

it('lists dead letters in complete pages without repetition, filtered by reason and age', async () => {
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) {
    const { id } = await clientOf(t).hotFile(`bytes ${n}`)
    await giveUpStoring(t, id)
    made.push(id)
  }
  await t.database.sql(
    `update file set error_code = 'interrupted', errored_at = now() - interval '1 hour' where id = $1`,
    [made[2]],
  )
  const caller = operator()
  const pages = await caller.pages('/api/operator/dead-letters?kind=files&limit=1')
  const seen: { id: string; reason: string; copies: object[] }[] = pages.flatMap(({ deadLetters }) => deadLetters)
  expect(seen[0]).toMatchObject({ id: made[2], kind: 'files', status: 'error', reason: 'interrupted', sizeBytes: 7 })
  expect(seen[0]?.copies).toEqual([{ network: 'embedded', state: 'failed' }])
  const ids = seen.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of made) expect(ids).toContain(id)
  expect(JSON.stringify(seen)).not.toContain('cat.png')

  const narrowed = await caller.call(
    'GET',
    '/api/operator/dead-letters?kind=files&error=interrupted&olderThanSeconds=1800',
  )
  expect(narrowed.body.deadLetters.map(({ id }: { id: string }) => id)).toEqual([made[2]])
  const younger = await caller.call('GET', '/api/operator/dead-letters?kind=files&olderThanSeconds=7200')
  expect(younger.body).toEqual({ deadLetters: [], nextCursor: null })
})

it('rejects a cursor of another list, and invalid filters', async () => {
  const caller = operator()
  const first = await caller.call('GET', '/api/operator/dead-letters?kind=files&limit=1')
  const wrong = [
    `kind=copies&cursor=${first.body.nextCursor}`,
    `kind=files&error=interrupted&cursor=${first.body.nextCursor}`,
    'kind=everything',
    'kind=files&olderThanSeconds=-1',
    'kind=files&olderThanSeconds=1e3',
    'kind=files&cursor=nonsense',
    '',
  ]
  for (const query of wrong) {
    expect((await caller.call('GET', `/api/operator/dead-letters?${query}`)).status, query).toBe(400)
  }
})
