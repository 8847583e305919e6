import { type AuditReply, auditRecord } from '@tideport/contracts/internal/audit-record'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { every } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { AuthDb } from '../tables.ts'
import { keepRecord } from './record-event.ts'

const AGAIN_MS = 500

interface AnswerDeps {
  db: Kysely<AuthDb>
  nats: NatsLink
  log: Log
  signal: AbortSignal
}

/** Replies when the entry is stored. Without a reply, the sender sends it again. One process receives each entry. */
export function receiveAuditRecords({ db, nats, log, signal }: AnswerDeps): AsyncDisposable {
  async function reply(bytes: Uint8Array): Promise<AuditReply> {
    const { success, data, error } = auditRecord.schema.safeParse(parse(bytes))
    if (!success) {
      log.error({ faults: error.issues.map(({ path }) => path.join('.')) }, 'audit log entry cannot be read')
      return 'refused'
    }
    try {
      await keepRecord(db, data)
      return 'kept'
    } catch (failure) {
      log.warn({ err: failure, eventId: data.id }, 'audit log entry not stored, the sender will retry')
      return 'later'
    }
  }

  async function answer(stopping: AbortSignal): Promise<void> {
    const subscription = (await nats.connected(stopping)).subscribe(auditRecord.subject, { queue: 'auth' })
    const stop = () => subscription.unsubscribe()
    stopping.addEventListener('abort', stop, { once: true })
    if (stopping.aborted) stop()
    try {
      for await (const message of subscription) message.respond(await reply(message.data))
    } finally {
      stopping.removeEventListener('abort', stop)
    }
  }
  return every(AGAIN_MS, 'receive audit log entries', answer, { signal, log })
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return null
  }
}
