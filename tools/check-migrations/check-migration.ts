import type { Migration, StepKind } from '@tideport/service-kit/postgres/migration-file'
import { parse } from 'libpg-query'
import { checkBatches } from './check-batches.ts'
import { checkOnline } from './check-online.ts'
import { checkShort } from './check-short.ts'
import { type Found, firstNode } from './syntax-tree.ts'

const NAME = /^\d{4}[a-z]?_[a-z0-9_]+$/

type Check = (statements: Found[], migration: Migration) => string[]

const checks: Record<StepKind, Check> = { short: checkShort, online: checkOnline, batches: checkBatches }

/** What in this step would hold up writes to a large table, or could not be begun again after a kill. */
export async function checkMigration(migration: Migration): Promise<string[]> {
  try {
    const { stmts = [] } = await parse(migration.sql)
    return checks[migration.kind](
      stmts.map(({ stmt }) => firstNode(stmt)),
      migration,
    )
  } catch (error) {
    return [`Postgres cannot read it: ${(error as Error).message}`]
  }
}

/** Files are run in the order of their names, so no two may claim the same place. */
export function checkNames(names: string[]): string[] {
  const places = names.map((name) => name.split('_')[0] ?? '')
  return [
    ...names.filter((name) => !NAME.test(name)).map((name) => `${name}: a name is 0001_what or 0001a_what`),
    ...places
      .filter((place, index) => places.indexOf(place) !== index)
      .map((place) => `two files are numbered ${place}`),
  ]
}
