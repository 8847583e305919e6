import { type AuditRecord, type AuditReply, auditRecord } from '@tideport/contracts/internal/audit-record'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { startNats } from '@tideport/testing/nats'
import { relayAuditEntries } from '../../src/audit/relay-audit-entries.ts'
import { setup } from './setup.ts'

const never = new AbortController().signal

/** The service with a broker and a stand-in that replies as auth does. */
export async function setupAuditEntries() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNats())
  const t = stack.use(await setup())
  const nats = stack.use(connectNats({ natsUrl: [server.url], name: 'test', log: t.log }))
  await nats.connected(never)
  const told: AuditRecord[] = []
  const { startOver } = t
  let answering: { unsubscribe(): void } | undefined
  return Object.assign(t, {
    server,
    nats,
    told,
    async startOver() {
      answering?.unsubscribe()
      told.length = 0
      await startOver()
    },
    /** Replies from now on, until the broker is stopped. */
    async answerAs(replyTo: (record: AuditRecord) => AuditReply | null) {
      const client = await server.connect()
      answering = client.subscribe(auditRecord.subject, {
        callback(_error, message) {
          const record = auditRecord.schema.parse(message.json())
          told.push(record)
          const reply = replyTo(record)
          if (reply !== null) message.respond(reply)
        },
      })
      await client.flush()
    },
    waiting: async () => (await t.database.sql('select id from audit_outbox where failed_at is null')).length,
    relay: () => relayAuditEntries({ db: t.db, nats, log: t.log }, never),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}
