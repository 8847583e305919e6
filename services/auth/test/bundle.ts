import { hash } from 'node:crypto'
import type { Principal } from '@tideport/contracts/internal/principal'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { createBatching } from '@tideport/service-kit/batching/batching'
import { createAnswerLife } from '@tideport/service-kit/process/answer-life'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { createApp } from '../src/app.ts'
import { createKeyUsage } from '../src/keys/key-usage.ts'
import { migrations, schema } from '../src/migrations.ts'
import type { AuthDb } from '../src/tables.ts'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
  body: any
}

export type Account = Principal & { kind: 'account' }
export interface Key {
  id: string
  keyPrefix: string
  key: string
  expiresAt: string | null
  createdAt: string
  parentId: string | null
  limits: Record<string, unknown> | null
}

export const path = '/api/auth/api-keys'

/** The auth service with its own database, called as the gateway calls it. By default, revocations do not wait. */
export async function startAuth({
  poolSize = 10,
  revocationWaitMs = 0,
  publicUrl = 'https://files.example',
  answerLife = createAnswerLife({ mostMs: revocationWaitMs }),
  s3SecretKeys = [Buffer.alloc(32, 1)],
} = {}) {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await createTestDatabase({ schema, migrations }))
  const log = createLogger({ service: 'auth', level: 'silent' })
  const db = stack.use(database.open<AuthDb>({ log, poolSize }))
  const { sign, verifierFor } = createPrincipalKeys()
  const app = stack.use(
    createApp({
      db,
      batching: createBatching(),
      keyUsage: stack.use(createKeyUsage({ db, log })),
      answerLife,
      s3SecretKeys,
      publicUrl,
      verifyPrincipal: verifierFor('auth'),
      log,
      metrics: createMetrics('auth'),
      postgresWaitMs: 60_000,
      signal: new AbortController().signal,
    }),
  )

  async function call(
    principal: Principal,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await app.inject({
      method: method as 'GET',
      url: path,
      headers: { [principalHeader]: await sign(principal, 'auth'), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    return { status: response.statusCode, body: response.json() }
  }

  /** Sends a request as the gateway. */
  const ask = (at: string, body: unknown) => call({ kind: 'gateway' }, 'POST', at, body)
  const verify = ({ key }: Pick<Key, 'key'>) => ask('/internal/api-keys/verify', { digest: hash('sha256', key) })
  const make = (maker: Account, body: object = {}) => call(maker, 'POST', path, { name: 'k', ...body })

  return {
    app,
    db,
    sql: database.sql,
    databaseUrl: database.url,
    call,
    ask,
    verify,
    make,
    makeKey: async (maker: Account, body: object = {}): Promise<Key> => (await make(maker, body)).body,
    /** The principal of requests with the key. */
    async userOf(key: Key): Promise<Account> {
      const { usableMs: _, addresses: __, ...principal } = (await verify(key)).body
      return principal
    },
    /** A new account with full access. */
    async account(subject: string = crypto.randomUUID()): Promise<Account> {
      const { body } = await call({ kind: 'gateway' }, 'POST', '/internal/accounts/resolve', {
        issuer: 'test',
        subject,
        method: 'jwt',
        clientAddress: '192.0.2.1',
      })
      return { kind: 'account', accountId: body.accountId, method: 'jwt', subject, scopes: null }
    },
    startOver: () =>
      database.sql(
        'delete from owner; delete from passkey; delete from set_up_token; delete from api_key; delete from audit_event; delete from account',
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
