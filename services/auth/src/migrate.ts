import { migrationMain } from '@tideport/service-kit/migration-main'
import { migrations, schema } from './migrations.ts'

await migrationMain(schema, migrations, process.env)
