import { migrationMain } from '@tideport/service-kit/postgres/migration-main'

await migrationMain('webhooks', new URL('../migrations/', import.meta.url), process.env)
