import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { readNetworks } from '@tideport/file-lifecycle/copies/network-settings'
import { openNetworks } from '@tideport/file-lifecycle/copies/networks'
import { openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import { withCopies } from '@tideport/file-lifecycle/state/file-copies'
import { type FilesDb, schema } from '@tideport/file-lifecycle/state/tables'
import { log, must, never } from '@tideport/file-lifecycle/testing/bundle'
import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { openHotTier } from '@tideport/hot-tier/hot-tier'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { withClient } from '@tideport/set-up/prepare-database'
import { longTimeouts } from '@tideport/testing/postgres'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backup } from '../../src/back-up/backup.ts'
import { restore } from '../../src/back-up/restore.ts'
import { makeSecrets } from '../../src/make-secrets.ts'
import { reconcile } from '../../src/reconcile.ts'
import { setUp } from '../../src/set-up/set-up.ts'
import { verify } from '../../src/verify.ts'
import { setupInstallation, type TestInstallation } from '../installation.ts'

const key = () => randomBytes(32).toString('base64')
const asRole = (url: string, role: string) => Object.assign(new URL(url), { username: role }).href
const inDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href

/** Settings of three schemas in one database. */
const databases = (url: string) => ({
  DATABASE_URL: url,
  AUTH_DATABASE_URL: asRole(url, 'auth'),
  FILES_DATABASE_URL: url,
  WEBHOOKS_DATABASE_URL: asRole(url, 'webhooks'),
})

describe('operator backup and operator restore', () => {
  const stack = new AsyncDisposableStack()
  let t: TestInstallation
  let dir: string
  let identity: string
  let recipient: string
  let oldKey: string
  let env: Record<string, string>
  beforeAll(async () => {
    t = stack.use(await setupInstallation('disk-a', 'disk-b'))
    dir = stack.use(await createTemporaryDirectory('backup')).path
    oldKey = key()
    env = { ...databases(t.database.url), WEBHOOK_SECRET_KEYS: oldKey, EXPORT_SECRET_KEYS: key() }
    const setUpEnv = { ...env, ADMIN_DATABASE_URL: t.database.adminUrl }
    expect((await t.run(setUp, ['database', 'migrations'], setUpEnv)).failure).toBeNull()
    const { lines } = await t.run(makeSecrets, ['--format', 'age'])
    identity = join(dir, 'identity')
    await writeFile(identity, `${lines.join('\n')}\n`)
    recipient = must(/age1\w+/.exec(lines.join())).toString()
  })
  afterAll(() => stack.disposeAsync())

  const to = (name: string) => join(dir, name)
  const backUp = (name: string, ...args: string[]) => t.run(backup, ['--to', to(name), ...args], env)
  const objectsIn = async (name: string) =>
    (await readdir(to(name), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && entry.parentPath.includes('/objects'),
    ).length

  /** Empty servers: a database, a bucket, and two folders. */
  async function emptyServers() {
    await using parts = new AsyncDisposableStack()
    const bucket = parts.adopt(await createBucket(), (one) => one.dispose())
    const folder = parts.use(await createTemporaryDirectory('restored')).path
    const name = `test_${randomUUID().replaceAll('-', '')}`
    const admin = inDatabase(t.database.adminUrl, name)
    parts.defer(() =>
      withClient(t.database.adminUrl, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`)
      }),
    )
    const networks = networksEnvironment({ 'disk-a': { dir: join(folder, 'a') }, 'disk-b': { dir: join(folder, 'b') } })
    const own = {
      ...{ SERVICE_ENV: 'development', SETTLE_SECONDS: '3600', ADMIN_DATABASE_URL: admin },
      ...{ ...s3Environment(bucket.settings), ...databases(inDatabase(t.database.url, name)), ...networks },
      ...{ WEBHOOK_SECRET_KEYS: key(), EXPORT_SECRET_KEYS: key() },
    }
    const opened = parts.move()
    return { env: own, admin, bucket, folder, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  }

  /** All rows that a restore keeps. */
  async function rowsOf(url: string) {
    return await withClient(url, async (client) => {
      const { rows: tables } = await client.query(
        `select schemaname || '.' || tablename as name from pg_tables
         where schemaname in ('auth', 'files', 'webhooks') and tablename !~ 'schema_migration|cursor_key' order by 1`,
      )
      const found: Record<string, unknown[]> = {}
      for (const { name } of tables) {
        const { rows } = await client.query(
          `select (to_jsonb(one) - 'written_by' - 'secret_encrypted')::text as row from ${name} one order by 1`,
        )
        found[name] = rows.map(({ row }) => row)
      }
      return found
    })
  }

  /** The definitions that a restore removes for a while. */
  async function definitionsOf(url: string) {
    return await withClient(url, async (client) => {
      const { rows } = await client.query(
        `select indexdef as one from pg_indexes where schemaname in ('auth', 'files', 'webhooks')
         union all select conrelid::regclass || conname || pg_get_constraintdef(oid) from pg_constraint
           where connamespace in ('auth'::regnamespace, 'files'::regnamespace, 'webhooks'::regnamespace)
         union all select tgrelid::regclass || tgname || tgenabled::text from pg_trigger where not tgisinternal
         order by 1`,
      )
      return rows.map(({ one }) => one)
    })
  }

  async function readAll(own: Record<string, string | undefined>) {
    await using db = openDatabase<FilesDb>({
      ...{ databaseUrl: own.DATABASE_URL as string, databasePoolSize: 4, schema, name: 'test', log },
      ...longTimeouts,
    })
    const storageNetworks = readNetworks(own.STORAGE_NETWORKS ?? '', own)
    const config = { storageNetworks, serviceEnv: 'development', embeddedNetworkAcceptSingleCopy: true }
    const networks = await openNetworks(config, db, createMetrics('test'))
    using hotTier = openHotTier({
      ...{ s3Endpoint: own.S3_ENDPOINT, s3Region: 'us-east-1', s3Bucket: own.S3_BUCKET as string },
      ...{ s3ForcePathStyle: true, awsAccessKeyId: own.AWS_ACCESS_KEY_ID },
      awsSecretAccessKey: own.AWS_SECRET_ACCESS_KEY,
    })
    const found: Record<string, string> = {}
    for (const file of await db.selectFrom('file').selectAll().where('confirmedAt', 'is not', null).execute()) {
      const { bytes } = await openBytes({ db, networks, hotTier }, await withCopies(db, file), undefined, never)
      found[file.id] = createHash('sha256')
        .update(await buffer(bytes))
        .digest('hex')
    }
    return found
  }

  it('restores every row and byte on empty servers, and copies unchanged bytes only once', async () => {
    const account = randomUUID()
    const webhook = randomUUID()
    const secret = createSecretBox([Buffer.from(oldKey, 'base64')]).seal(
      'whsec_old',
      `webhook-secret/${account}/${webhook}`,
    )
    await withClient(t.database.adminUrl, async (client) => {
      await client.query(`insert into auth.account (id, issuer, subject) values ($1, 'https://issuer', $2)`, [
        account,
        'a\tb\\n\n"ü',
      ])
      await client.query(
        `insert into auth.api_key (id, account_id, name, key_prefix, digest) values ($1, $2, 'key', 'tp_', sha256('secret'))`,
        [randomUUID(), account],
      )
      await client.query(
        `insert into webhooks.webhook (id, account_id, url, events, secret_encrypted)
         values ($1, $2, 'https://example.org', '{file.hot}', $3)`,
        [webhook, account, secret],
      )
    })
    const hot = await t.hotFile('hot')
    await t.coldFile('cold')
    await t.provedFile(randomBytes(300_000).toString('base64'))
    const first = await backUp('drill', '--recipient', recipient)
    expect(first).toMatchObject({ failure: null })
    expect(first.lines[0]).toMatch(/: 3 files, .* 3 files were copied now/)
    expect((await backUp('drill', '--recipient', recipient)).lines[0]).toMatch(/ 0 files were copied now/)

    await t.purge(hot)
    await t.hotFile('new')
    const last = await backUp('drill', '--identity', identity, '--keep', '1')
    expect(last.lines.join()).toMatch(/ 1 files were copied now.*1 files were removed with old backups/)
    expect(await objectsIn('drill')).toBe(3)
    await using other = await emptyServers()
    const restored = await t.run(restore, ['--from', to('drill'), '--identity', identity], other.env)
    expect(restored.failure).toBeNull()
    expect(await rowsOf(other.admin)).toEqual(await rowsOf(t.database.adminUrl))
    expect(await definitionsOf(other.admin)).toEqual(await definitionsOf(t.database.adminUrl))
    expect(await readAll(other.env)).toEqual(await readAll({ ...t.env, ...env }))
    for (const [command, args] of [
      [reconcile, []],
      [verify, ['--all']],
    ] as const)
      expect((await t.run(command, [...args], other.env)).failure).toBeNull()
    const again = await t.run(restore, ['--from', to('drill'), '--identity', identity], other.env)
    expect(again.failure).toMatch(/is not empty. A restore never overwrites data/)
  })

  it('detects a cut, a changed byte, and a loss in each kind of blob, and never restores them', async () => {
    await t.provedFile('damaged')
    expect((await backUp('whole', '--recipient', recipient)).failure).toBeNull()
    expect((await backUp('plain', '--unencrypted')).failure).toBeNull()
    for (const kept of ['whole', 'plain']) {
      const check = async () =>
        (await t.run(restore, ['--from', to('damaged'), '--identity', identity, '--check'], env)).failure
      const blobs = (await readdir(to(kept), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && entry.name !== 'tideport-backup.json')
        .map((entry) => join(entry.parentPath, entry.name).slice(to(kept).length + 1))
      const kinds = ['/manifest', '/files', '/ids', '/files.file', '/auth.account', 'objects/'].map((kind) =>
        must(blobs.find((name) => name.endsWith(kind) || name.startsWith(kind))),
      )
      await cp(to(kept), to('damaged'), { recursive: true })
      expect(await check()).toBeNull()
      for (const name of kinds) {
        const path = join(to('damaged'), name)
        const bytes = await readFile(path)
        const middle = Math.floor(bytes.length / 2)
        const changed = Buffer.from(bytes).fill((bytes[middle] ?? 0) ^ 1, middle, middle + 1)
        const damages = [0, 1, 21, middle, bytes.length - 33, bytes.length - 1].map((end) => bytes.subarray(0, end))
        for (const damaged of [...damages, changed, Buffer.concat([bytes, Buffer.of(0)])]) {
          await writeFile(path, damaged)
          expect(await check(), `${name} with ${damaged.length} of ${bytes.length} bytes`).toMatch(/damaged/)
        }
        await rm(path)
        expect(await check()).toMatch(name.endsWith('/manifest') ? /no complete backup/ : /damaged in/)
        await writeFile(path, bytes)
      }
      await rm(to('damaged'), { recursive: true })
    }
  })

  it('continues after a kill: a backup copies no bytes again, and a restore completes', async () => {
    for (let one = 0; one < 40; one += 1) await t.hotFile(`many ${one}`)
    const main = new URL('../../src/main.ts', import.meta.url)
    const args = ['--to', to('killed'), '--recipient', recipient]
    {
      await using program = spawnProgram(main, { ...(t.env as Record<string, string>), ...env }, ['backup', ...args])
      await waitFor(async () => (await objectsIn('killed').catch(() => 0)) > 5)
      await program.kill()
    }
    const before = await objectsIn('killed')
    expect((await t.run(restore, ['--from', to('killed'), '--identity', identity], env)).failure).toMatch(
      /no complete backup|not empty/,
    )
    const done = await backUp('killed', '--recipient', recipient)
    expect(done.failure).toBeNull()
    const [, files, copied] = must(/: (\d+) files, .* (\d+) files were copied now/.exec(done.lines[0] ?? ''))
    expect(Number(copied)).toBe(Number(files) - before)

    await using other = await emptyServers()
    const from = ['--from', to('killed'), '--identity', identity]
    {
      await using program = spawnProgram(main, other.env, ['restore', ...from])
      const Bucket = other.bucket.bucket
      const list = () => other.bucket.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'hot/' }))
      await waitFor(async () => ((await list()).KeyCount ?? 0) > 5)
      await program.kill()
    }
    expect((await t.run(restore, from, other.env)).failure).toBeNull()
    expect(await readAll(other.env)).toEqual(await readAll({ ...t.env, ...env }))
  })

  it('backs up to a bucket, and refuses other recipients, other installations, and targets that are not empty', async () => {
    await using other = await emptyServers()
    const { settings, bucket } = t.bucket
    const target = {
      BACKUP_S3_ENDPOINT: settings.endpoint,
      BACKUP_S3_FORCE_PATH_STYLE: 'true',
      BACKUP_AWS_ACCESS_KEY_ID: settings.accessKeyId,
      BACKUP_AWS_SECRET_ACCESS_KEY: settings.secretAccessKey,
    }
    const place = `s3://${bucket}/back/up`
    const run = (...args: string[]) => t.run(backup, ['--to', place, ...args], { ...env, ...target })
    for (const _ of [1, 2]) expect((await run('--recipient', recipient, '--keep', '1')).failure).toBeNull()
    expect((await run('--unencrypted')).failure).toMatch(/are encrypted for age1/)
    expect((await run()).failure).toMatch(/exactly one of/)
    const from = ['--from', place, '--identity', identity]
    expect((await t.run(restore, ['--from', place], { ...env, ...target })).failure).toMatch(/--identity FILE/)
    expect((await t.run(restore, from, { ...env, ...target })).failure).toMatch(/is not empty/)
    const restored = await t.run(restore, from, { ...other.env, ...target })
    expect(restored.failure).toBeNull()
    expect(await readAll(other.env)).toEqual(await readAll({ ...t.env, ...env }))
    await mkdir(to('used'))
    await writeFile(join(to('used'), 'letter.txt'), 'x')
    expect((await backUp('used', '--unencrypted')).failure).toMatch(/contains letter.txt but no backups/)
  })
})
