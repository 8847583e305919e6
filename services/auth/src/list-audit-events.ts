import { parseArgs } from 'node:util'
import { operatorProgramOn } from '@tideport/service-kit/postgres/operator-program'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { schema } from './migrations.ts'
import type { AuthDb } from './tables.ts'

await operatorProgramOn<AuthDb>(schema, process.env)('list-audit-events', {}, async ({ db }) => {
  const { values } = parseArgs({
    options: {
      id: { type: 'string' },
      limit: { type: 'string', default: '100' },
      json: { type: 'boolean', default: false },
    },
  })
  const { id = '', limit } = values
  const entries = await db
    .selectFrom('auditEvent')
    .selectAll()
    .where((eb) => eb.or([eb('subjectId', '=', id), eb('accountId', '=', id)]))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(Number(limit))
    .execute()
  if (entries.length === 0) throw new Error(`The audit log has no entries about ${id}.`)
  using printer = createPrinter((line) => process.stdout.write(`${line}\n`), values)
  for (const { at, kind, subjectId, accountId, ...who } of entries) {
    const { method, keyId, keyPrefix, subject, clientAddress, requestId } = who
    const of = `${kind.split('.')[0]} ${subjectId}`
    printer.row({ at, kind, of, accountId, method, keyId, keyPrefix, subject, clientAddress, requestId })
  }
})
