import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { toErrorReply } from '@tideport/service-kit/http/error-reply'
import { addRequestScope } from '@tideport/service-kit/http/request-scope'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import Fastify, { type FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAuthClient } from '../../src/identity/auth-client.ts'
import { createDecisions } from '../../src/identity/decisions.ts'
import { countKeyAnswers } from '../../src/identity/key-answers.ts'
import { createFindSigner } from '../../src/identity/s3-key.ts'
import { createAdmission } from '../../src/limits/admission.ts'
import { requestWaitBudget } from '../../src/upstream/request-wait-budget.ts'
import { createUpstream } from '../../src/upstream/upstream.ts'
import { principalKeys, request, requestInTime, startAuth, startGateway } from '../bundle.ts'

const WAIT_SECONDS = 2
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startAuth>>
let gateway: Awaited<ReturnType<typeof startGateway>>
let door: Awaited<ReturnType<typeof startSignedDoor>>

beforeAll(async () => {
  auth = stack.use(await startAuth(0, { REVOCATION_WAIT_SECONDS: `${WAIT_SECONDS}` }))
  gateway = stack.use(await startGateway({ AUTH_URL: auth.url, SERVICE_ENV: 'development' }))
  door = stack.use(await startSignedDoor())
})
afterAll(() => stack.disposeAsync())

/** A server that admits requests whose header is the HMAC of nothing under the signing key. Other gateways share nothing with it. */
async function startSignedDoor({ failures = 0, requests = 0 } = {}) {
  const parts = { log: createLogger({ service: 'test', level: 'silent' }), metrics: createMetrics('test') }
  const upstream = createUpstream({ ...parts, name: 'auth', urls: [auth.url], direct: null })
  const lookups = { count: 0 }
  const client = createAuthClient({ upstream, sign: principalKeys.sign })
  const counted = {
    findS3Key: (scope: Parameters<typeof client.findS3Key>[0]) => {
      lookups.count += 1
      return client.findS3Key(scope)
    },
  }
  const keys = { auth: counted, keyAnswerSeconds: WAIT_SECONDS, count: countKeyAnswers(parts.metrics) }
  const admission = createAdmission({
    ...parts,
    authenticate: () => Promise.reject(new Error('not used')),
    findSigner: createFindSigner(keys),
    decisions: createDecisions(parts.metrics),
    accountLimit: { perSecond: 0.001, burst: requests },
    anonymousLimit: { perSecond: 0.001, burst: failures },
    trustedProxies: ['127.0.0.1'],
    monotonicNow: () => performance.now(),
  })
  const app = Fastify()
  const signal = new AbortController().signal
  addRequestScope(app, { ...parts, signal, waitBudgetOf: requestWaitBudget, isBorder: true })
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('credential', null)
  app.decorateRequest('admittedAt', 0)
  app.decorateRequest('charge', null as unknown as FastifyRequest['charge'])
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = toErrorReply(error)
    return reply.code((error as Error).message === 'wrong' ? 418 : status).send(body)
  })
  app.get('/', async (request, reply) => {
    const [accessKeyId = '', date = '', region = '', signature = ''] = String(request.headers.authorization).split('/')
    await admission.admitSigned(request, reply, { accessKeyId, date, region }, (signingKey) => {
      if (!timingSafeEqual(proofOf(signingKey), Buffer.from(signature, 'hex'))) throw new Error('wrong')
    })
    return request.principal
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    lookups,
    metrics: async () => (await parts.metrics.render()).text,
    ask: (authorization: string, from = '192.0.2.1') =>
      request(`http://127.0.0.1:${port}/`, { headers: { authorization, 'x-forwarded-for': from } }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

const proofOf = (signingKey: Buffer) => createHmac('sha256', signingKey).digest()
interface S3Key {
  id: string
  s3: { accessKeyId: string; secretAccessKey: string }
}

function signed({ accessKeyId, secretAccessKey }: S3Key['s3'], region = 'us-east-1') {
  const date = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  let key: Buffer | string = `AWS4${secretAccessKey}`
  for (const part of [date, region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest()
  return [accessKeyId, date, region, proofOf(key as Buffer).toString('hex')].join('/')
}
const wrongly = (s3: S3Key['s3']) => signed({ ...s3, secretAccessKey: 'wrong' })

const keys = '/api/auth/api-keys'
const headers = { 'x-dev-provider-id': 'ann' }
async function createKey(input: object = {}, subject = 'ann'): Promise<S3Key> {
  const json = { name: 'k', s3: true, ...input }
  const init = { method: 'POST', headers: { 'x-dev-provider-id': subject }, json }
  return (await requestInTime(gateway.url + keys, init)).body
}

it('admits correct signatures with the rights and limits of the key, from its addresses only', async () => {
  const limits = { verbs: ['read'], addresses: ['192.0.2.0/24'] }
  const { id, s3 } = await createKey({ scopes: ['files:read'], limits })
  const { status, body } = await door.ask(signed(s3))
  expect(status).toBe(200)
  expect(body).toMatchObject({ kind: 'account', keyId: id, scopes: ['files:read'], limits: { verbs: ['read'] } })
  expect((await door.ask(signed(s3), '198.51.100.1')).body.code).toBe('outside_key_limits')
  // Only a correct signature learns of the limit.
  expect((await door.ask(wrongly(s3), '198.51.100.1')).status).toBe(418)
})

it('caches a valid key for each day and region, and never an unknown one', async () => {
  const { s3 } = await createKey()
  const lookupsOf = async (authorization: string) => {
    const before = door.lookups.count
    const answers = [await door.ask(authorization), await door.ask(authorization)]
    return [...answers.map(({ status }) => status), door.lookups.count - before]
  }
  expect(await lookupsOf(signed(s3))).toEqual([200, 200, 1])
  expect(await lookupsOf(signed(s3, 'eu-west-1'))).toEqual([200, 200, 1])
  const unknown = signed({ ...s3, accessKeyId: `TP${'A'.repeat(18)}` })
  expect(await lookupsOf(unknown)).toEqual([401, 401, 2])
  for (const malformed of ['AKIAIOSFODNN7EXAMPLE', s3.accessKeyId.toLowerCase(), ''])
    expect(await lookupsOf(signed({ ...s3, accessKeyId: malformed }))).toEqual([401, 401, 0])
  expect(await door.metrics()).toMatch(/decisions_total\{method="s3",outcome="accepted",reason="valid"[^}]*\} [1-9]/)
})

it('rejects a revoked key as soon as the revocation responds, and an expired key', async () => {
  const { id, s3 } = await createKey()
  expect((await door.ask(signed(s3))).status).toBe(200)
  const revoking = request(`${gateway.url}${keys}/${id}`, { method: 'DELETE', headers })
  let isRevoked = false
  void revoking.then(() => (isRevoked = true))
  // Keeps the cached lookup in use during the revocation.
  while (!isRevoked) await door.ask(signed(s3))
  expect((await revoking).status).toBe(200)
  expect((await door.ask(signed(s3))).body.code).toBe('api_key_revoked')
  const brief = await createKey({ expiresInDays: 1 })
  await auth.sql(`update api_key set expires_at = now() + interval '300 milliseconds' where id = $1`, [brief.id])
  const endsAt = performance.now() + 400
  while (performance.now() < endsAt) await door.ask(signed(brief.s3))
  expect((await door.ask(signed(brief.s3))).body.code).toBe('api_key_expired')
})

it('limits wrong signatures by address, and charges the account only for correct ones', async () => {
  await using limited = await startSignedDoor({ failures: 3, requests: 2 })
  const { s3 } = await createKey({}, 'bea')
  const statuses = async (authorization: string, times: number, from?: string) => {
    const answers = []
    for (let time = 0; time < times; time++) answers.push((await limited.ask(authorization, from)).status)
    return answers
  }
  expect(await statuses(wrongly(s3), 4, '198.51.100.7')).toEqual([418, 418, 418, 429])
  // Failed attempts lock out no valid credential, from the same address either.
  expect(await statuses(signed(s3), 3, '198.51.100.7')).toEqual([200, 200, 429])
  expect(await statuses(wrongly(s3), 1)).toEqual([418])
})
