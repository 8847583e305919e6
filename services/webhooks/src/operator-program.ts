import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { databaseSettings } from '@tideport/service-kit/config/process-settings'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { createLogger, type Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { WebhooksDb } from './tables.ts'

interface Work {
  db: Kysely<WebhooksDb>
  /** To standard error. */
  log: Log
  /** Aborts when the program was told to stop. */
  signal: AbortSignal
}

/** A program of an operator's on this service's tables. Exits 1 with a sentence when it fails. */
export async function operatorProgram<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  work: (context: Work & { config: ReturnType<typeof loadConfig<Shape>> }) => Promise<void>,
): Promise<void> {
  const log = createLogger({ service: name, level: 'info', destination: process.stderr })
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort(new Error('Stopped.')))
  try {
    const database = loadConfig(z.object(databaseSettings), process.env)
    const config = loadConfig(z.object(shape), process.env)
    await using db = openDatabase<WebhooksDb>({ ...database, schema: 'webhooks', name, log })
    await work({ config, db, log, signal: stop.signal })
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${(error as Error).message}\n`)
    if (!(error instanceof ConfigError)) log.debug({ err: error }, 'failed')
  }
}
