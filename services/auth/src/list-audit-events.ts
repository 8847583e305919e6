import { parseArgs } from 'node:util'
import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { databaseSettings } from '@tideport/service-kit/config/process-settings'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { z } from 'zod'
import { schema } from './migrations.ts'
import type { AuthDb } from './tables.ts'

const name = 'list-audit-events'
const log = createLogger({ service: name, level: 'info', destination: process.stderr })

/** What was done to a key, webhook or account, newest first: `operator audit`. */
try {
  const { values } = parseArgs({
    options: {
      id: { type: 'string' },
      limit: { type: 'string', default: '100' },
      json: { type: 'boolean', default: false },
    },
  })
  const { id = '', limit } = values
  const config = loadConfig(z.object(databaseSettings), process.env)
  await using db = openDatabase<AuthDb>({ ...config, schema, name, log })
  const entries = await db
    .selectFrom('auditEvent')
    .selectAll()
    .where((eb) => eb.or([eb('subjectId', '=', id), eb('accountId', '=', id)]))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(Number(limit))
    .execute()
  if (entries.length === 0) throw new Error(`nothing is known of ${id}`)
  using printer = createPrinter((line) => process.stdout.write(`${line}\n`), values)
  for (const { at, kind, subjectId, accountId, ...who } of entries) {
    const { method, keyId, keyPrefix, subject, clientAddress, requestId } = who
    const of = `${kind.split('.')[0]} ${subjectId}`
    printer.row({ at, kind, of, accountId, method, keyId, keyPrefix, subject, clientAddress, requestId })
  }
} catch (error) {
  process.exitCode = 1
  if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`)
  else log.fatal({ err: error }, 'not listed')
}
