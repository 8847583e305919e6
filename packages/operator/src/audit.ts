import { parseArgs } from 'node:util'
import type { EventRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type Kysely, sql } from 'kysely'
import { type Command, UsageError } from './command.ts'
import { openInstallation } from './open-installation.ts'
import { parseCount, parseUuid } from './options.ts'
import { runProgram, withOwnersUrl } from './run-program.ts'

const LIMIT_MAX = 10_000

export const audit: Command = {
  usage: '--id ID [--limit 100] [--json]',
  summary:
    'Lists audit log entries of a file, vault, key, webhook, or account: the actor, the client address, and the request',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        id: { type: 'string' },
        limit: { type: 'string', default: '100' },
        json: { type: 'boolean', default: false },
      },
    })
    if (values.id === undefined)
      throw new UsageError('name the ID of a file, vault, key, webhook, or account with --id')
    const id = parseUuid('id', values.id)
    const limit = parseCount('limit', values.limit, LIMIT_MAX)
    await using installation = await openInstallation(context)
    const entries = await ofFileOrVault(installation.db, id, limit)
    if (entries.length === 0) return await listOfAuth(context, id, limit, values)
    using printer = createPrinter(context.print, values)
    for (const { at, type: kind, subjectKind, subjectId, accountId, actor, clientAddress, requestId } of entries) {
      const { method = null, keyId = null, keyPrefix = null, subject = null, jobId = null, linkId = null } = actor ?? {}
      const who = { method, keyId, keyPrefix, subject, jobId, linkId, clientAddress, requestId }
      printer.row({ at, kind, of: `${subjectKind} ${subjectId}`, accountId, ...who })
    }
  },
}

/** Newest first. A file's events include those of its vault. */
async function ofFileOrVault(db: Kysely<FilesDb>, id: string, limit: number): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select * from event
    where subject_id = any(array[${id}::uuid, (select vault_id from file where id = ${id})])
      and (subject_id = ${id} or type in ('vault.deleted', 'vault.restored', 'vault.purged')) and actor is not null
    order by at desc, id desc limit ${limit}`.execute(db)
  return rows
}

/** Only the auth service may read its table. */
async function listOfAuth(
  context: Parameters<Command['run']>[0],
  id: string,
  limit: number,
  { json }: { json: boolean },
): Promise<void> {
  const args = ['--id', id, '--limit', String(limit)]
  if (json) args.push('--json')
  const env = withOwnersUrl(context.env, 'auth', 'DATABASE_URL')
  await runProgram('services/auth/src/list-audit-events.ts', args, { ...context, env })
}

export const refusedAuditEntries: Command = {
  usage: '[--limit 100] [--json] | (--resend | --forget) (--id ID | --all) [--json]',
  summary: 'Lists webhook entries that the audit log rejected, sends them again, or drops them',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        resend: { type: 'boolean', default: false },
        forget: { type: 'boolean', default: false },
        id: { type: 'string' },
        all: { type: 'boolean', default: false },
        limit: { type: 'string', default: '100' },
        json: { type: 'boolean', default: false },
      },
    })
    const { resend, forget, id, all, json } = values
    if (resend && forget) throw new UsageError('name only one of --resend and --forget')
    const chosen = [id !== undefined, all].filter(Boolean).length
    if (chosen !== (resend || forget ? 1 : 0))
      throw new UsageError('--resend and --forget need either --id or --all; a list takes neither')
    const args = ['--limit', String(parseCount('limit', values.limit, LIMIT_MAX))]
    if (resend) args.push('--resend')
    if (forget) args.push('--forget')
    if (id !== undefined) args.push('--id', parseUuid('id', id))
    if (json) args.push('--json')
    const env = withOwnersUrl(context.env, 'webhooks', 'DATABASE_URL')
    await runProgram('services/webhooks/src/refused-audit-entries.ts', args, { ...context, env })
  },
}
