import { parseArgs } from 'node:util'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { forgetRefused, listRefused, resendRefused } from './audit/refused-entries.ts'
import { operatorProgram } from './operator-program.ts'

await operatorProgram('refused-audit-entries', {}, async ({ db, log }) => {
  const { values } = parseArgs({
    options: {
      resend: { type: 'boolean', default: false },
      forget: { type: 'boolean', default: false },
      id: { type: 'string' },
      limit: { type: 'string', default: '100' },
      json: { type: 'boolean', default: false },
    },
  })
  const { resend, forget, id } = values
  const limit = Number(values.limit)
  const found = resend ? resendRefused(db, id) : forget ? forgetRefused(db, id) : listRefused(db, limit + 1)
  const entries = await found
  if (entries.length === 0 && id !== undefined) throw new Error(`No refused entry has the ID ${id}.`)
  const shown = resend || forget ? entries : entries.slice(0, limit)
  using printer = createPrinter((line) => process.stdout.write(`${line}\n`), values)
  for (const { id: entryId, kind, accountId, subjectId, at, refusedAt } of shown) {
    printer.row({ entryId, kind, accountId, subjectId, at, refusedAt })
  }
  if (resend || forget) log.info({ entries: entries.length }, resend ? 'entries will be sent again' : 'entries deleted')
  else if (entries.length > limit) log.info({ limit }, 'there are more entries: raise --limit')
})
