import { createAnswerLife } from '@tideport/service-kit/process/answer-life'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { path, startAuth } from '../bundle.ts'

const MOST_MS = 400
/** A quarter longer, because clock rates differ (ADR 0022). */
const WAIT_MS = 500
/** Waits in progress. The clock advances only when a wait finishes. */
const waits: { ms: number; end: () => void }[] = []
let nowMs = 0
const wait = (ms: number) =>
  new Promise<void>((resolve) => {
    const end = () => {
      nowMs += ms
      resolve()
    }
    waits.push({ ms, end })
  })
const answerLife = createAnswerLife({ mostMs: MOST_MS, monotonicNow: () => nowMs, wait })
const auth = setUpOnce(() => startAuth({ poolSize: 1, answerLife }))

async function createKey(input: object = {}) {
  const owner = await auth.account()
  const key = await auth.makeKey(owner, input)
  return { owner, id: key.id, verify: () => auth.verify(key) }
}

it('every revocation is committed and then waits without a connection, also for a revoked key', async () => {
  const { owner, id, verify } = await createKey()
  for (let round = 0; round < 2; round++) {
    let isAnswered = false
    const revoking = auth.call(owner, 'DELETE', `${path}/${id}`).finally(() => (isAnswered = true))
    const { ms, end } = await waitFor(() => waits.shift())
    // Uses the only connection.
    expect((await verify()).status).toBe(401)
    expect([ms, isAnswered]).toEqual([WAIT_MS, false])
    end()
    expect((await revoking).status).toBe(200)
  }
})

it('a revocation of an unknown key does not wait', async () => {
  const { owner } = await createKey()
  expect((await auth.call(owner, 'DELETE', `${path}/${crypto.randomUUID()}`)).status).toBe(404)
  expect(waits).toEqual([])
})

it('a lookup may be cached as long as revocations wait, but not beyond the key’s expiry by the database clock', async () => {
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
