import { globSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { migrationNames, readMigration } from '@tideport/service-kit/postgres/migration-file'
import { checkMigration, checkNames } from './check-migration.ts'

const root = pathToFileURL(`${import.meta.dirname}/../../`)

for (const path of globSync('{packages,services}/*/migrations', { cwd: root })) {
  const folder = new URL(`${path}/`, root)
  const names = await migrationNames(folder)
  for (const fault of checkNames(names)) tell(path, fault)
  for (const name of names) {
    const faults = await readMigration(folder, name).then(checkMigration, (error: Error) => [error.message])
    for (const fault of faults) tell(`${path}/${name}.sql`, fault)
  }
}

function tell(where: string, fault: string): void {
  console.error(`${where}: ${fault} (docs/contribute/guide.md, "Migrations")`)
  process.exitCode = 1
}
