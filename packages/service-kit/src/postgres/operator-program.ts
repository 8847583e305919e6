import type { Kysely } from 'kysely'
import { z } from 'zod'
import { ConfigError, loadConfig } from '../config/config.ts'
import { databaseSettings } from '../config/process-settings.ts'
import { createLogger, type Log } from '../telemetry/logger.ts'
import { openDatabase } from './database.ts'

interface Work<Db, Shape extends z.ZodRawShape> {
  config: ReturnType<typeof loadConfig<Shape>>
  db: Kysely<Db>
  /** Writes to standard error. */
  log: Log
  /** Aborts on SIGTERM and SIGINT. */
  signal: AbortSignal
}

/**
 * Runs a program of `operator` on the tables of one service. `shape` adds settings. On failure, prints the error
 * message and exits with 1.
 */
export function operatorProgramOn<Db>(schema: string, env: NodeJS.ProcessEnv) {
  return async <Shape extends z.ZodRawShape>(
    name: string,
    shape: Shape,
    work: (context: Work<Db, Shape>) => Promise<void>,
  ): Promise<void> => {
    const log = createLogger({ service: name, level: 'info', destination: process.stderr })
    const stop = new AbortController()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort(new Error('Stopped.')))
    try {
      const database = loadConfig(z.object(databaseSettings), env)
      const config = loadConfig(z.object(shape), env)
      await using db = openDatabase<Db>({ ...database, schema, name, log })
      await work({ config, db, log, signal: stop.signal })
    } catch (error) {
      process.exitCode = 1
      process.stderr.write(`${(error as Error).message}\n`)
      if (!(error instanceof ConfigError)) log.debug({ err: error }, 'failed')
    }
  }
}
