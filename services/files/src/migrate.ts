import { migrations, schema } from '@tideport/file-lifecycle/state/migrations'
import { migrationMain } from '@tideport/service-kit/postgres/migration-main'

await migrationMain(schema, migrations, process.env)
