import { parseArgs } from 'node:util'
import { hotTierSettings, storageNetworkSettings } from '@tideport/file-lifecycle/process/settings'
import { type HotTier, openHotTier } from '@tideport/hot-tier/hot-tier'
import { loadConfig } from '@tideport/service-kit/config/config'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { z } from 'zod'
import { type Command, type CommandContext, type Environment, UsageError } from '../command.ts'
import { reEncryptExportCredentials, reEncryptWebhookSecrets } from '../re-encrypt.ts'
import { withOwnersUrl } from '../run-program.ts'
import { setUpBucket, setUpDatabase } from '../set-up/servers.ts'
import { checkBackup } from './check-backup.ts'
import {
  assertEmpty,
  installationIn,
  migrateTo,
  migrateToCurrent,
  noteRestored,
  restoredIn,
} from './database/empty-database.ts'
import { loadTables } from './database/load.ts'
import { type OwnerUrls, openOwnerClient, ownerSettings, urlsOf } from './database/owner-client.ts'
import { assertEmptyBucket, prepareNetworks, readMark, removeMark, writeMark } from './empty-places.ts'
import { type Manifest, namesOf, type OpenBackup, openBackup, owners } from './manifest.ts'
import { restoreBytes } from './restore-bytes.ts'
import { openTarget } from './target/open-target.ts'

const settings = z.object({
  ...ownerSettings,
  ...hotTierSettings,
  ...storageNetworkSettings,
  WEBHOOK_SECRET_KEYS: z.string().optional(),
  EXPORT_SECRET_KEYS: z.string().optional(),
})

export const restore: Command = {
  usage: '--from FOLDER|s3://BUCKET/PREFIX [--identity FILE] [--backup ID] [--check]',
  summary: 'Restores a backup into empty servers; --check only reads the complete backup and verifies each byte',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        from: { type: 'string' },
        identity: { type: 'string' },
        backup: { type: 'string' },
        check: { type: 'boolean', default: false },
      },
    })
    const { from, identity, backup: id, check } = values
    const { env, print, signal } = context
    if (from === undefined) throw new UsageError('name the backups: --from FOLDER or --from s3://BUCKET/PREFIX')
    using target = openTarget(from, env)
    const backup = await openBackup(target, { id, identity }, signal)
    const { manifest } = backup
    if (!check) return await restoreAll(context, backup)
    const faults = await checkBackup(target, backup, print, signal)
    if (faults > 0)
      throw new Error(
        `The backup ${manifest.id} is damaged in ${faults} places. Delete damaged objects, and back up again: they are copied again if the installation still has them. For other damage, use another backup: --backup ID`,
      )
    print(`The backup ${manifest.id} is intact: ${manifest.files} files, ${manifest.bytes} bytes`)
  },
}

async function restoreAll(context: CommandContext, backup: OpenBackup): Promise<void> {
  const { log, print, signal } = context
  const { manifest } = backup
  const env = withEveryUrl(context.env)
  const config = loadConfig(settings, withOwnersUrl(env, 'files', 'DATABASE_URL'))
  const urls = urlsOf(config)
  if (manifest.keys.WEBHOOK_SECRET_KEYS !== undefined && config.webhookSecretKeys === undefined)
    throw new Error('WEBHOOK_SECRET_KEYS is not set. Set a key: webhook secrets are re-encrypted with it')
  if (env.ADMIN_DATABASE_URL || env.ADMIN_DATABASE_URL_FILE) await setUpDatabase({ ...context, env })
  await setUpBucket(context)
  await migrateTo(manifest, urls, context)

  using hotTier = openHotTier(config)
  const isContinued = (await readMark(hotTier, signal)) === manifest.id
  const current = await assertUsableDatabase(urls, manifest, isContinued)
  if (!isContinued) await assertEmptyBucket(config)
  const preparing = { manifest, currentInstallation: current, isContinued, signal }
  const networks = await prepareNetworks(config.storageNetworks, preparing)
  await failpoint('restore.prepared')
  if (!isContinued) await writeMark(hotTier, manifest.id, signal)

  // Rows without bytes would look like lost files, so the rows come last.
  await restoreBytes(backup, { hotTier, networks }, { log, signal })
  await failpoint('restore.bytes')
  await restoreRows(backup, urls, signal)
  await failpoint('restore.rows')
  await migrateToCurrent(urls, context)
  await failpoint('restore.migrated')
  await reEncrypt({ ...context, env }, backup, config)
  await failpoint('restore.re-encrypted')
  await finish(hotTier, urls)
  print(`Restored ${manifest.files} files, ${manifest.bytes} bytes, of ${manifest.at}`)
  print('Start the services. Then run: operator reconcile; operator verify --sample 1000')
}

/** The set-up of the database needs the URL of files under its long name, too. */
function withEveryUrl(env: Environment): Environment {
  const { FILES_DATABASE_URL: own, FILES_DATABASE_URL_FILE: file, DATABASE_URL, DATABASE_URL_FILE } = env
  if (own || file) return env
  return { ...env, FILES_DATABASE_URL: DATABASE_URL, FILES_DATABASE_URL_FILE: DATABASE_URL_FILE }
}

/** Throws unless each schema is empty, or has the rows of this unfinished restore. Returns the installation's ID. */
async function assertUsableDatabase(urls: OwnerUrls, manifest: Manifest, isContinued: boolean) {
  await using files = await openOwnerClient('files', urls.files)
  // The last schema that a restore commits
  if (!isContinued && (await restoredIn(files)) === manifest.id)
    throw new Error(
      `The database already contains the backup ${manifest.id}. Start the services, or restore into a new database`,
    )
  for (const owner of owners) {
    await using opened = await openOwnerClient(owner, urls[owner])
    if (!isContinued || (await restoredIn(opened)) !== manifest.id) await assertEmpty(opened, manifest)
  }
  return await installationIn(files)
}

/** All schemas are loaded before the first one is committed. Leaves out those that an interrupted restore committed. */
async function restoreRows({ manifest, read }: OpenBackup, urls: OwnerUrls, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const clients = []
  for (const owner of owners) {
    const opened = stack.use(await openOwnerClient(owner, urls[owner]))
    if ((await restoredIn(opened)) === manifest.id) continue
    clients.push(opened)
    await opened.client.query('begin')
    await assertEmpty(opened, manifest)
    const tables = manifest.tables.filter((table) => table.owner === owner)
    await loadTables(opened, tables, (table) => read(namesOf(manifest.id).table(table), signal))
    await noteRestored(opened, manifest.id)
  }
  await failpoint('restore.loaded')
  for (const { client, owner } of clients.toSorted(
    (a, b) => Number(a.owner === 'files') - Number(b.owner === 'files'),
  )) {
    await client.query('commit')
    await failpoint(`restore.${owner}-committed`)
  }
}

async function reEncrypt(
  context: CommandContext,
  { manifest: { keys } }: OpenBackup,
  current: { webhookSecretKeys?: string | undefined; exportSecretKeys?: string | undefined },
): Promise<void> {
  const { env, print } = context
  const steps = [
    { name: 'WEBHOOK_SECRET_KEYS', own: current.webhookSecretKeys, command: reEncryptWebhookSecrets },
    { name: 'EXPORT_SECRET_KEYS', own: current.exportSecretKeys, command: reEncryptExportCredentials },
  ] as const
  for (const { name, own, command } of steps) {
    const old = keys[name]
    if (old === undefined) {
      print(`The backup does not contain ${name}. Use the value of the old installation`)
      continue
    }
    if (own === undefined) continue
    const both = [...new Set(`${own},${old}`.split(',').map((key) => key.trim()))].join()
    await command.run({ ...context, args: [], env: { ...env, [name]: both, [`${name}_FILE`]: undefined } })
  }
}

async function finish(hotTier: HotTier, urls: OwnerUrls): Promise<void> {
  for (const owner of owners) {
    await using opened = await openOwnerClient(owner, urls[owner])
    await opened.client.query('analyze')
  }
  await failpoint('restore.analyzed')
  await removeMark(hotTier)
}
