import { pathToFileURL } from 'node:url'
import { readMigrations } from '@tideport/service-kit/postgres/migration-file'
import { countDone } from '@tideport/service-kit/postgres/migration-history'
import { type Owner, withClient } from '@tideport/set-up/prepare-database'

const folders: Record<Owner, string> = {
  auth: 'services/auth/migrations/',
  files: 'packages/file-lifecycle/migrations/',
  webhooks: 'services/webhooks/migrations/',
}

/** Whether the migration job of this owner has nothing to do. Faults are left to the job, which reports them. */
export async function isMigrated(owner: Owner, url: string, checkout: string): Promise<boolean> {
  try {
    const steps = await readMigrations(new URL(folders[owner], pathToFileURL(`${checkout}/`)))
    const done = await withClient(url, (client) =>
      countDone({ name: owner, query: (text) => client.query(text) }, steps),
    )
    return done >= steps.length
  } catch {
    return false
  }
}
