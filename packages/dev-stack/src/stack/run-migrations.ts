import { join } from 'node:path'
import { bareEnvironment, type Environment } from '../host-environment.ts'
import { runChild } from '../run-child.ts'
import type { DataLayout } from './data-layout.ts'
import type { DatabaseUrls } from './prepare-database.ts'
import type { Logs } from './stack-logs.ts'

type MigrationOptions = {
  /** The URL of each schema's owner. */
  databaseUrls: DatabaseUrls
  servicesDir: string
  cwd: string
  layout: DataLayout
  logs: Logs
  host: Environment
}

/** Runs the migration job of every schema, each in a process of its own. Throws when one fails. */
export async function runMigrations(options: MigrationOptions): Promise<void> {
  const jobs = Object.entries(options.databaseUrls).map(([owner, url]) => runMigration(owner, url, options))
  await Promise.all(jobs)
}

async function runMigration(owner: string, url: string, options: MigrationOptions): Promise<void> {
  const name = `migrate-${owner}`
  const child = await runChild({
    command: process.execPath,
    args: [join(options.servicesDir, owner, 'src/migrate.ts')],
    cwd: options.cwd,
    env: { ...bareEnvironment(options.host), MIGRATION_DATABASE_URL: url },
    onLine: options.logs.writer(name),
    stopSignal: 'SIGTERM',
    stopGraceMs: 5_000,
    deathSignal: 'SIGKILL',
    recordFile: join(options.layout.pids, `${name}.json`),
  })
  const { code, signal } = await child.exited
  await child.stop() // removes the note of its pid
  if (code === 0) return
  throw new Error(
    [`${name} ended with ${signal ?? `code ${code}`}. It last said:`, ...child.recentLines()].join('\n  '),
  )
}
