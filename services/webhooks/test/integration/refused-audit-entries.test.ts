import { randomUUID } from 'node:crypto'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { observeAuditEntries } from '../../src/audit/relay-audit-entries.ts'
import { setupAuditEntries } from './audit-entries.ts'
import { run } from './run-program.ts'

const t = setUpOnce(setupRefused)

const program = 'refused-audit-entries'

type Hook = Awaited<ReturnType<Awaited<ReturnType<typeof setupAuditEntries>>['webhook']>>

/** Two webhooks with entries that auth cannot read, and one with an entry that is still waiting. */
async function setupRefused() {
  const t = await setupAuditEntries()
  const { startOver } = t
  const hooks: Hook[] = []
  let reply: 'refused' | 'kept'
  return Object.assign(t, {
    hooks,
    async startOver() {
      await startOver()
      reply = 'refused'
      await t.answerAs(() => reply)
      hooks.splice(0, 3, await t.webhook(), await t.webhook())
      await t.relay()
      hooks.push(await t.webhook())
      t.told.length = 0
    },
    /** From now on, auth can read the entries. */
    mendAuth() {
      reply = 'kept'
    },
    subjects: async (...args: string[]) =>
      (await run(t, program, ['--json', ...args])).rows.map((row) => row.subjectId),
  })
}

it('lists entries that auth refused, oldest first, and reports if there are more', async () => {
  const { code, rows, stderr } = await run(t, program, ['--json', '--limit', '1'])
  const [first, second] = t.hooks
  expect({ code, rows }).toMatchObject({
    code: 0,
    rows: [{ kind: 'webhook.created', accountId: first?.account.accountId, subjectId: first?.id }],
  })
  expect(stderr).toContain('there are more')
  expect(await t.subjects()).toEqual([first?.id, second?.id])
})

it('resends one entry or all under their IDs', async () => {
  const [first, second, waiting] = t.hooks
  const { rows } = await run(t, program, ['--json'])
  t.mendAuth()
  expect(await t.subjects('--resend', '--id', String(rows[0]?.entryId))).toEqual([first?.id])
  expect(await t.subjects('--resend')).toEqual([second?.id])
  expect(await t.subjects()).toEqual([])
  await t.relay()
  const ids = new Map(t.told.map(({ id, subjectId }) => [subjectId, id]))
  expect([...ids.keys()].toSorted()).toEqual([first?.id, second?.id, waiting?.id].toSorted())
  expect(rows.map(({ entryId }) => entryId)).toEqual([ids.get(String(first?.id)), ids.get(String(second?.id))])
})

it('deletes one or all refused entries, and no others', async () => {
  const [first, second, waiting] = t.hooks
  const { rows } = await run(t, program, ['--json'])
  expect(await t.subjects('--forget', '--id', String(rows[0]?.entryId))).toEqual([first?.id])
  expect(await t.subjects('--forget')).toEqual([second?.id])
  t.mendAuth()
  await t.relay()
  expect(t.told.map(({ subjectId }) => subjectId)).toEqual([waiting?.id])
})

it('fails for an entry that was not refused', async () => {
  const [waiting] = await t.database.sql<{ id: string }>('select id from audit_outbox where failed_at is null')
  for (const id of [String(waiting?.id), randomUUID()]) {
    for (const action of ['--resend', '--forget']) {
      expect(await run(t, program, [action, '--id', id])).toMatchObject({ code: 1, stdout: '' })
    }
  }
})

it('counts refused entries separately from waiting ones', async () => {
  const metrics = createMetrics('webhooks')
  observeAuditEntries(metrics, t.db)
  const { text } = await metrics.render()
  expect(text).toMatch(/tideport_audit_entries\{[^}]*state="waiting"[^}]*\} 1\n/)
  expect(text).toMatch(/tideport_audit_entries\{[^}]*state="refused"[^}]*\} 2\n/)
})
