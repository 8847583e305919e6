import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { holdsBytes } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { loadConfig } from '@tideport/service-kit/config/config'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import manifestOfPackage from '../../package.json' with { type: 'json' }
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { openInstallation } from '../open-installation.ts'
import { parseCount } from '../options.ts'
import { withOwnersUrl } from '../run-program.ts'
import { type Copying, copyBytes } from './copy-bytes.ts'
import { openOwnerClient, ownerSettings, urlsOf } from './database/owner-client.ts'
import { openSnapshot, type Snapshot } from './database/snapshot.ts'
import { writeLists } from './file-lists.ts'
import { assertNewest, type ListedFile, namesOf, OBJECTS, type Table, takeTarget, writeManifest } from './manifest.ts'
import { removeOld, removeUnfinished } from './remove-old.ts'
import { createSealer, readIdentities, recipientsOf } from './sealed.ts'
import { openTarget } from './target/open-target.ts'
import type { BackupTarget } from './target/target.ts'
import { createFinder, entryOf, walkFiles } from './walk-files.ts'

const settings = z.object({
  ...ownerSettings,
  WEBHOOK_SECRET_KEYS: z.string().optional(),
  EXPORT_SECRET_KEYS: z.string().optional(),
})

/** More than this is an outage, and no backup. */
const UNREADABLE_MAX = 100
const TELL_EVERY_MS = 10_000
/** A transaction of the snapshot waits while bytes are copied. */
const SNAPSHOT_MS = 2 ** 31 - 1

export const backup: Command = {
  usage:
    '--to FOLDER|s3://BUCKET/PREFIX (--recipient age1…)…|--identity FILE|--unencrypted [--keep N] [--without-copies]',
  summary: 'Backs up the database, keys, bucket, and embedded networks; copies only bytes that the target lacks',
  async run(context) {
    const { values } = parseArgs({
      args: context.args,
      options: {
        to: { type: 'string' },
        recipient: { type: 'string', multiple: true, default: [] },
        identity: { type: 'string' },
        unencrypted: { type: 'boolean', default: false },
        keep: { type: 'string' },
        'without-copies': { type: 'boolean', default: false },
      },
    })
    const { to, keep: keepText, 'without-copies': withoutCopies } = values
    if (to === undefined) throw new UsageError('name the target: --to FOLDER or --to s3://BUCKET/PREFIX')
    const keep = keepText === undefined ? null : parseCount('keep', keepText, 10_000)
    const sealer = await createSealer(await recipientsIn(values))
    using target = openTarget(to, context.env)
    await using installation = await openInstallation(context)
    const copying: Copying = { installation, target, sealer, signal: context.signal }
    await backUp(context, copying, { keep, withoutCopies })
  },
}

/** Sorted, so that their order does not matter. */
async function recipientsIn(values: { recipient: string[]; identity?: string | undefined; unencrypted: boolean }) {
  const { recipient, identity, unencrypted } = values
  if ([recipient.length > 0, identity !== undefined, unencrypted].filter(Boolean).length !== 1)
    throw new UsageError('name exactly one of --recipient, --identity, and --unencrypted')
  const recipients = identity === undefined ? recipient : await recipientsOf(await readIdentities(identity))
  await createSealer(recipients).catch(() => {
    throw new UsageError('--recipient must be an age recipient (age1…)')
  })
  return [...new Set(recipients)].toSorted()
}

interface Options {
  keep: number | null
  withoutCopies: boolean
}

async function backUp(context: CommandContext, copying: Copying, { keep, withoutCopies }: Options): Promise<void> {
  const { env, print } = context
  const { target, sealer, signal, installation } = copying
  const config = loadConfig(settings, withOwnersUrl(env, 'files', 'DATABASE_URL'))
  const urls = urlsOf(config)
  await using lock = await openOwnerClient('files', urls.files)
  const { rows } = await lock.client.query(
    `select id, pg_try_advisory_lock(hashtextextended('tideport backup', 0)) as locked from installation`,
  )
  if (!rows[0].locked) throw new Error('Another backup of this installation is running')
  const id = `${new Date().toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`
  await takeTarget(target, { installation: rows[0].id, recipients: [...sealer.recipients] }, signal)
  await removeUnfinished(target)
  await assertNewest(target, id)

  const counts = createCounts(context)
  const copyAll = (db: Kysely<FilesDb>) => copyMissing(db, copying, counts, withoutCopies)
  // Most bytes are copied before the snapshot, which blocks the clean-up of old row versions while it is open.
  for await (const _ of copyAll(installation.db)) signal.throwIfAborted()
  counts.beginAgain()
  await failpoint('backup.copied')

  await using snapshot = await openSnapshot(urls)
  const tables: Table[] = []
  for (const table of snapshot.tables) {
    signal.throwIfAborted()
    tables.push({ ...table, rows: await dumpTable(copying, snapshot, id, table) })
  }
  await failpoint('backup.dumped')
  await using reader = openDatabase<FilesDb>({
    ...{
      ...installation.config,
      databaseUrl: urls.files,
      databasePooler: 'none',
      schema: 'files',
      databasePoolSize: 1,
    },
    ...{ name: 'operator backup', log: context.log, statementTimeoutMs: SNAPSHOT_MS },
  })
  await snapshot.within(reader, (db) => writeLists(copying, id, copyAll(db)))
  await target.flush()
  await failpoint('backup.listed')
  await assertKept(target, id, tables)
  const { WEBHOOK_SECRET_KEYS, EXPORT_SECRET_KEYS } = {
    WEBHOOK_SECRET_KEYS: config.webhookSecretKeys,
    EXPORT_SECRET_KEYS: config.exportSecretKeys,
  }
  await writeManifest(
    target,
    sealer,
    {
      ...{ id, at: new Date().toISOString(), version: manifestOfPackage.version, installation: rows[0].id },
      ...{ migrations: snapshot.migrations, tables, files: counts.files, bytes: counts.bytes },
      networks: [...counts.networks].toSorted(),
      keys: { WEBHOOK_SECRET_KEYS, EXPORT_SECRET_KEYS },
    },
    signal,
  )
  await target.flush()
  print(`Backup ${id}: ${counts.files} files, ${counts.bytes} bytes; ${counts.copied} files were copied now`)
  if (counts.deleted > 0) print(`${counts.deleted} files were deleted during the backup and are not in it`)
  if (counts.elsewhere > 0)
    print(`${counts.elsewhere} files are not in the backup: their bytes are only on storage networks`)
  if (config.webhookSecretKeys === undefined)
    print('WEBHOOK_SECRET_KEYS is not set, so the backup does not contain it. Keep it elsewhere')
  if (counts.unreadable > 0)
    throw new Error(`${counts.unreadable} files could not be read and are not in the backup. No old backup was removed`)
  if (keep !== null) print(`${await removeOld(target, keep, signal)} files were removed with old backups`)
}

/** A clone of the installation has another database and so another lock: its backup removes this one as unfinished. */
async function assertKept(target: BackupTarget, id: string, tables: readonly Table[]): Promise<void> {
  const names = namesOf(id)
  const missing = new Set([names.files, names.ids, ...tables.map(names.table)])
  for await (const { name } of target.list(names.folder)) missing.delete(name)
  if (missing.size > 0)
    throw new Error(
      `Another process removed parts of this backup. Give each installation, and each clone, its own target`,
    )
}

async function dumpTable({ target, sealer, signal }: Copying, snapshot: Snapshot, id: string, table: Table) {
  const name = namesOf(id).table(table)
  let rows = 0
  const bytes = async function* () {
    rows = yield* snapshot.dump(table)
  }
  await target.put(name, sealer.seal(name, bytes()), signal)
  return rows
}

/** Copies the bytes that the target lacks, and yields the files whose bytes it then has. */
async function* copyMissing(
  db: Kysely<FilesDb>,
  copying: Copying,
  counts: Counts,
  withoutCopies: boolean,
): AsyncGenerator<ListedFile[]> {
  const { target, sealer, installation, signal } = copying
  await using finder = createFinder(target.list(OBJECTS))
  for await (const batch of walkFiles(db)) {
    signal.throwIfAborted()
    const wanted: { entry: ListedFile; files: (typeof batch)[number]; isThere: boolean }[] = []
    for (const files of batch) {
      const entry = entryOf(files, installation.networks, { withoutCopies })
      if (entry === null) counts.elsewhere += files.copies.some(holdsBytes) ? 1 : 0
      else wanted.push({ entry, files, isThere: await finder.has(entry.id, sealer.sealedBytes(entry.sizeBytes)) })
    }
    await inParallel(
      wanted.filter(({ isThere }) => !isThere),
      async (file) => {
        const copied = await copyBytes(copying, file.files)
        file.isThere = copied.outcome === 'copied'
        if (copied.outcome === 'copied') counts.copied += 1
        else counts.note(file.entry.id, copied)
      },
    )
    const entries = wanted.flatMap(({ entry, isThere }) => (isThere ? entry : []))
    counts.add(entries)
    yield entries
  }
}

type Counts = ReturnType<typeof createCounts>

function createCounts({ log, print }: CommandContext) {
  let toldAt = performance.now()
  return {
    ...{ files: 0, bytes: 0, copied: 0, deleted: 0, unreadable: 0, elsewhere: 0 },
    networks: new Set<string>(),
    /** The second walk decides what the backup contains. */
    beginAgain() {
      Object.assign(this, { files: 0, bytes: 0, deleted: 0, unreadable: 0, elsewhere: 0 })
      this.networks.clear()
    },
    add(entries: readonly ListedFile[]) {
      this.files += entries.length
      for (const { sizeBytes, copies } of entries) {
        this.bytes += sizeBytes
        for (const { network } of copies) this.networks.add(network)
      }
      if (performance.now() - toldAt < TELL_EVERY_MS) return
      toldAt = performance.now()
      log.info({ files: this.files, bytes: this.bytes, copied: this.copied }, 'backed up so far')
    },
    note(id: string, copied: { outcome: 'deleted' } | { outcome: 'unreadable'; reason: string }) {
      if (copied.outcome === 'deleted') {
        this.deleted += 1
        return
      }
      this.unreadable += 1
      print(`${id} could not be read: ${copied.reason}`)
      if (this.unreadable > UNREADABLE_MAX)
        throw new Error(`More than ${UNREADABLE_MAX} files could not be read. The backup was stopped`)
    },
  }
}
