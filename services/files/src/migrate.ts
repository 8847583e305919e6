import { migrations, schema } from '@tideport/file-lifecycle/state/tables'
import { migrationMain } from '@tideport/service-kit/postgres/migration-main'

await migrationMain(schema, migrations, process.env)
