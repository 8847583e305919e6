import { hash } from 'node:crypto'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { startAuth } from '../bundle.ts'

const path = '/api/auth/api-keys'
const MOST_MS = 400
/** A quarter more, for clocks of different rates (docs/adr/0064). */
const WAIT_MS = 500
/** For what has to be seen before the wait is over: long, beside what a busy machine takes for anything. */
const PATIENT_MS = 8_000
const auth = setUpOnce(() => startAuth({ poolSize: 1, revocationWaitMs: MOST_MS }))
const patient = setUpOnce(() => startAuth({ poolSize: 1, revocationWaitMs: PATIENT_MS }))

async function createKey(input: object = {}, at = auth) {
  const owner = await at.account()
  const { body } = await at.call(owner, 'POST', path, { name: 'k', ...input })
  const verify = () => at.ask('/internal/api-keys/verify', { digest: hash('sha256', body.key) })
  return { owner, id: body.id as string, verify }
}

it('a revocation is committed, then waits, and holds no connection meanwhile', async () => {
  const { owner, id, verify } = await createKey({}, patient)
  let isAnswered = false
  const revoking = patient.call(owner, 'DELETE', `${path}/${id}`).finally(() => (isAnswered = true))
  // By the only connection that there is.
  await waitFor(async () => (await verify()).status === 401)
  expect(isAnswered).toBe(false)
  expect((await revoking).status).toBe(200)
  const waited = 'select clock_timestamp() - revoked_at >= $2::interval as long_enough from api_key where id = $1'
  expect(await patient.sql(waited, [id, `${PATIENT_MS} ms`])).toEqual([{ long_enough: true }])
})

it('every revocation waits, also of what is revoked, but for what is not there', async () => {
  const { owner, id } = await createKey()
  for (let round = 0; round < 2; round++) {
    const startedAt = performance.now()
    expect((await auth.call(owner, 'DELETE', `${path}/${id}`)).status).toBe(200)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(WAIT_MS)
  }
  const startedAt = performance.now()
  expect((await patient.call(owner, 'DELETE', `${path}/${crypto.randomUUID()}`)).status).toBe(404)
  expect(performance.now() - startedAt).toBeLessThan(PATIENT_MS)
})

it('an answer may be used as long as revocations wait, and no longer than the key lives by the database’s clock', async () => {
  const forever = await createKey()
  expect((await forever.verify()).body.usableMs).toBe(MOST_MS)
  const { id, verify } = await createKey({ expiresInDays: 1 })
  expect((await verify()).body.usableMs).toBe(MOST_MS)
  const setEnd = (end: string) => auth.sql(`update api_key set expires_at = ${end} where id = $1`, [id])
  await setEnd(`now() + interval '300 ms'`)
  const { status, body } = await verify()
  expect(status === 401 || body.usableMs <= 240).toBe(true)
  await setEnd(`'infinity'`)
  expect((await verify()).body.usableMs).toBe(MOST_MS)
  await setEnd(`'-infinity'`)
  expect((await verify()).status).toBe(401)
})
