import { migrations, schema } from '@tideport/file-lifecycle/migrations'
import { migrationMain } from '@tideport/service-kit/migration-main'

await migrationMain(schema, migrations, process.env)
