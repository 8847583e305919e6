import { manifestLine } from '@tideport/contracts/public/manifest'
import { setup } from '@tideport/file-lifecycle/testing/bundle'
import { expect, it } from 'vitest'

/** Columns that no manifest contains, because the owner cannot use them elsewhere or sees them under another name. */
const leftOut: Record<string, string[]> = {
  vault: [
    // The first line names the account. Manifests exclude the trash.
    ...['accountId', 'purgeDueAt', 'purgingAt'],
    // A setting of this installation's S3 API.
    'cors',
  ],
  file: [
    // `path` contains folder and name. `isLatest` and the order of lines cover the other columns.
    ...['accountId', 'folder', 'placeId', 'onConflict', 'ifOccupant'],
    // The manifest has `key`. S3 clients compute the tag and digests again.
    ...['rawKey', 'entityTag', 'digests', 'partSizes'],
    // The manifest has `checksumSha256`. The client declared the others, and an archive computes the CRC again.
    ...['sha256', 'checksumDeclared', 'crc32'],
    // The upload, and the place of the hot bytes.
    ...[
      'partSizeBytes',
      'uploaderKeyId',
      'uploadForm',
      'uploadDigest',
      'uploadKey',
      'uploadId',
      'uploadExpiresAt',
      'confirmDueAt',
      'completingAt',
    ],
    ...['cleanupAfter', 'hotKey', 'rehydrateKey'],
    // The state of work on the file.
    ...['version', 'claimedUntil', 'fencingToken', 'unfinishedClaims', 'taskFailures', 'evictAttempt', 'evictDueAt'],
    ...['evictingAt', 'rehydrateAttempt', 'rehydrateDueAt', 'erroredAt', 'purgeDueAt', 'purgingAt'],
  ],
}

/** Tables with rows of accounts that no manifest contains. */
const otherTables = [
  // Current and past work of the service.
  ...[
    'account',
    'account_job',
    'copy_walk',
    'completing',
    'upload_part',
    'event',
    'idempotency_key',
    'taken_id',
    'key_spending',
  ],
  ...['network_usage', 'network_usage_change', 'usage_day', 'vault_usage_day', 'usage_walk'],
  // Links to this installation.
  'link',
  // Derived from data in a manifest.
  ...['file_name', 'file_label', 'name_to_index'],
  // Data of the installation.
  ...[
    'check_spending',
    'cursor_key',
    'eviction_rate',
    'file_statistics',
    'installation',
    'open_circuit',
    'operator_event',
  ],
  ...['operator_run', 'stream_ack', 'stream_mark', 'stream_resend', 'turn'],
  ...['schema_migration', 'schema_migration_batch'],
]

const fieldsOf = (type: 'vault' | 'file'): string[] => {
  const line = manifestLine.options.find(({ shape }) => shape.type.value === type)
  return Object.keys(line?.shape ?? {})
}

const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

it('covers every table and every column of vaults and files that is not excluded for a reason', async () => {
  await using t = await setup()
  const columns = await t.database.sql<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'files' and table_name in ('vault', 'file')`,
  )
  for (const [table, unseen] of Object.entries(leftOut)) {
    const all = columns.filter((one) => one.table === table).map(({ column }) => camelCase(column))
    const missing = all.filter((column) => !fieldsOf(table as 'vault' | 'file').includes(column))
    expect(missing.toSorted(), table).toEqual(unseen.toSorted())
  }
  const tables = await t.database.sql<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'files' and table_type = 'BASE TABLE'`,
  )
  const told = ['vault', 'file', 'copy', 'kept_folder']
  expect(tables.map(({ name }) => name).filter((name) => ![...told, ...otherTables].includes(name))).toEqual([])
})
