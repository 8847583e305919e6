import { createSecretBox, keyIdOf, type SecretBox } from '@tideport/service-kit/secrets/secret-box'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'
import { validPreviousSecrets } from './previous-secrets.ts'
import { secretOwner } from './webhook-secret.ts'

const BATCH = 500
/** More than one, because services without the new key continue to encrypt with the old one. */
const PASSES_MAX = 5
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

interface Resealed {
  rewritten: number
  /** Number of secrets by the key that encrypts them. Includes given keys without secrets. */
  secretsByKey: Map<string, number>
  /** Secrets under keys that were not given. */
  unreadable: number
}

/**
 * Runs in batches, alongside running services. Reads secrets again that changed in the meantime. Can be stopped and
 * repeated.
 */
export async function resealSecrets(
  db: Kysely<WebhooksDb>,
  keys: readonly Buffer[],
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<Resealed> {
  const box = createSecretBox(keys)
  const known = keys.map((key) => keyIdOf(createSecretBox([key]).seal('', '')))
  let rewritten = 0
  for (let pass = 1; ; pass += 1) {
    const secretsByKey = new Map<string, number>(known.map((keyId) => [keyId, 0]))
    let unreadable = 0
    let isDone = true
    for await (const secret of allSecrets(db)) {
      signal.throwIfAborted()
      const keyId = keyIdOf(secret.sealed)
      secretsByKey.set(keyId, (secretsByKey.get(keyId) ?? 0) + 1)
      if (!known.includes(keyId)) unreadable += 1
      else if (!box.isCurrent(secret.sealed)) {
        isDone = false
        rewritten += await reseal(db, box, secret)
      }
    }
    log.info({ pass, rewritten, unreadable }, 'checked every secret')
    // A pass that rewrote nothing has counted the final state.
    if (isDone || pass === PASSES_MAX) return { rewritten, secretsByKey, unreadable }
  }
}

interface Secret {
  table: 'webhook' | 'previous_secret'
  webhookId: string
  accountId: string
  sealed: string
}

/** Rewrites the secret only if it is unchanged since it was read, so a concurrent rotation is kept. */
async function reseal(db: Kysely<WebhooksDb>, box: SecretBox, secret: Secret): Promise<number> {
  const owner = secretOwner(secret)
  const sealed = box.seal(box.open(secret.sealed, owner), owner)
  const id = sql.ref(secret.table === 'webhook' ? 'id' : 'webhook_id')
  const { rows } = await sql`
    update ${sql.table(secret.table)} set secret_encrypted = ${sealed}
    where ${id} = ${secret.webhookId} and secret_encrypted = ${secret.sealed}
    returning 1`.execute(db)
  return rows.length
}

/** Omits previous secrets past their overlap: they sign nothing and are never decrypted. */
async function* allSecrets(db: Kysely<WebhooksDb>): AsyncGenerator<Secret> {
  let last: string | undefined = NIL_UUID
  while (last !== undefined) {
    const webhooks = await secretsAfter(db, last)
    for (const { id: webhookId, accountId, sealed, previous } of webhooks) {
      yield { table: 'webhook', webhookId, accountId, sealed }
      for (const before of previous) yield { table: 'previous_secret', webhookId, accountId, sealed: before }
    }
    last = webhooks.length === BATCH ? webhooks.at(-1)?.id : undefined
  }
}

interface WebhookSecrets {
  id: string
  accountId: string
  sealed: string
  previous: string[]
}

async function secretsAfter(db: Kysely<WebhooksDb>, last: string): Promise<WebhookSecrets[]> {
  const { rows } = await sql<WebhookSecrets>`
    select id, account_id, secret_encrypted as sealed, ${validPreviousSecrets(sql.ref('webhook.id'))} as previous
    from webhook where id > ${last}::uuid order by id limit ${BATCH}`.execute(db)
  return rows
}
