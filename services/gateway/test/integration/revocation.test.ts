import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, requestInTime, startAuth, startGateway } from '../bundle.ts'

const keys = '/api/auth/api-keys'
/** Longer than the steps before the end of the wait take, even on a busy machine. */
const WAIT_SECONDS = 3
/** Includes the quarter that is added for different clock rates. */
const WAIT_MS = WAIT_SECONDS * 1250
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startAuth>>
let gateways: Awaited<ReturnType<typeof startGateway>>[]
let owner: string

beforeAll(async () => {
  const provider = stack.use(await startIdentityProvider())
  auth = stack.use(await startAuth(0, { REVOCATION_WAIT_SECONDS: `${WAIT_SECONDS}` }))
  const env = {
    AUTH_URL: auth.url,
    KEY_ANSWER_SECONDS: `${WAIT_SECONDS}`,
    IDENTITY_PROVIDER_ISSUER: provider.issuer,
    IDENTITY_PROVIDER_AUDIENCE: provider.audience,
  }
  gateways = await Promise.all([startGateway(env), startGateway(env)])
  for (const gateway of gateways) stack.use(gateway)
  owner = await provider.issueToken({ subject: 'ann' })
})
afterAll(() => stack.disposeAsync())

const on = (index: number) => (gateways[index]?.url ?? '') + keys
const use = (index: number, bearer: string) => request(on(index), { bearer })
const revoke = (index: number, id: string) => request(`${on(index)}/${id}`, { method: 'DELETE', bearer: owner })
async function createKey(input: object = {}) {
  const { body } = await requestInTime(on(0), { method: 'POST', bearer: owner, json: { name: 'k', ...input } })
  return { key: body.key as string, id: body.id as string }
}
const isRevoked = async (id: string) =>
  (await auth.sql('select revoked_at from api_key where id = $1', [id]))[0]?.revoked_at !== null

it('a revocation responds when no gateway uses an old lookup any more, also when repeated', async () => {
  const { key, id } = await createKey()
  const askedAt = performance.now()
  expect((await use(1, key)).status).toBe(200)
  const revoking = revoke(0, id)
  await waitFor(() => isRevoked(id))
  // It may still use the lookup, unless the machine was too slow. The revocation waits for this time.
  const { status } = await use(1, key)
  if (performance.now() - askedAt < 1000) expect(status).toBe(200)
  expect((await revoking).status).toBe(200)
  const waited = 'select clock_timestamp() - revoked_at >= $2::interval as long_enough from api_key where id = $1'
  expect(await auth.sql(waited, [id, `${WAIT_MS} ms`])).toEqual([{ long_enough: true }])
  for (const index of [0, 1]) expect((await use(index, key)).body.code).toBe('api_key_revoked')
  const repeatedAt = performance.now()
  expect((await revoke(1, id)).status).toBe(200)
  expect(performance.now() - repeatedAt).toBeGreaterThanOrEqual(WAIT_MS)
})

it('auth sends no response when killed between commit and response, and the next revocation waits again', async () => {
  const { key, id } = await createKey()
  expect((await use(1, key)).status).toBe(200)
  const revoking = revoke(0, id)
  await waitFor(() => isRevoked(id))
  await auth.stop()
  expect((await revoking).status).toBe(503)
  await auth.restart()
  const repeatedAt = performance.now()
  const repeated = await waitFor(async () => {
    const answer = await revoke(0, id)
    return answer.status !== 503 && answer
  })
  expect(repeated.status).toBe(200)
  expect(performance.now() - repeatedAt).toBeGreaterThanOrEqual(WAIT_MS)
  expect((await use(1, key)).body.code).toBe('api_key_revoked')
})

it('auth ends the wait of a revocation on a stop, and responds', async () => {
  const { key, id } = await createKey()
  expect((await use(1, key)).status).toBe(200)
  const revoking = revoke(0, id)
  await waitFor(() => isRevoked(id))
  const stopping = auth.terminate()
  expect((await revoking).status).toBe(200)
  expect((await stopping).code).toBe(0)
  await auth.restart()
  const { body } = await waitFor(async () => {
    const answer = await use(1, key)
    return answer.status !== 503 && answer
  })
  expect(body.code).toBe('api_key_revoked')
})

it('a key is rejected from the moment it expires, even right after a lookup', async () => {
  const { key, id } = await createKey({ expiresInDays: 1 })
  await auth.sql(`update api_key set expires_at = now() + interval '700 ms' where id = $1`, [id])
  const hasEnded = async () =>
    (await auth.sql('select expires_at <= now() as e from api_key where id = $1', [id]))[0]?.e
  const late: string[] = []
  const hammer = async (index: number) => {
    while (late.length < 20) {
      const isLate = await hasEnded()
      const { status, body } = await use(index, key)
      if (isLate) late.push(`${status} ${body.code}`)
    }
  }
  await Promise.all([hammer(0), hammer(1)])
  expect(new Set(late)).toEqual(new Set(['401 api_key_expired']))
})
