import { defineConfig } from 'vitest/config'
import { ChangedFirst } from './tools/test/changed-first.ts'
import { integration, unit } from './vitest.config.ts'

/** The tests that most changes break first, without those that wait for a time or for the start of processes. */
const heart = [
  'packages/file-lifecycle/test/integration/{confirm,clean-up-uploads,uploads}.test.ts',
  'packages/file-lifecycle/test/integration/{store-copy,prove-copy,evict-file,trash}.test.ts',
  'packages/service-kit/test/integration/{database,provision-streams}.test.ts',
  'packages/storage-network/test/integration/{conformance,embedded-damage}.test.ts',
  'services/auth/test/integration/{api-keys,internal}.test.ts',
  'services/files/test/integration/{downloads,idempotency,public-reads,trash,upload,vaults}.test.ts',
  'services/gateway/test/integration/{forwarding,jwt}.test.ts',
  'services/webhooks/test/integration/{deliveries,fan-out,webhooks}.test.ts',
]

/** Tests that hash for seconds. */
const long = [
  'packages/storage-network/test/unit/{importer-cross-check,kubo-vectors}.test.ts',
  'packages/s3-client/test/unit/signature.test.ts',
]

/** `tools/test` checks the complete checkout, as `npm run check` does. */
const isPackage = (pattern: string) => !pattern.startsWith('tools/')

export default defineConfig({
  test: {
    sequence: { sequencer: ChangedFirst },
    projects: [
      { test: { ...unit, include: unit.include.filter(isPackage), exclude: long } },
      { test: { ...integration, include: heart } },
    ],
  },
})
