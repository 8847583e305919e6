import { migrationMain } from '@tideport/service-kit/postgres/migration-main'
import { migrations, schema } from './migrations.ts'

await migrationMain(schema, migrations, process.env)
