import { readdir } from 'node:fs/promises'
import { prepareBucket } from '@tideport/set-up/prepare-bucket'
import { type DatabaseUrls, type Owner, prepareDatabase, withClient } from '@tideport/set-up/prepare-database'
import type { DataLayout } from '../data-directory/data-layout.ts'
import type { Logs } from '../data-directory/stack-logs.ts'
import { isMigrated } from '../provisioning/is-migrated.ts'
import { type JobOptions, runJob } from '../provisioning/run-job.ts'
import type { ExternalStore } from '../servers/external-servers.ts'
import { type ColdTier, isOnNode } from '../services/cold-tier.ts'
import type { ServerAddresses } from './server-addresses.ts'
import type { ResolvedOptions } from './stack-options.ts'

/** Origins of the console on any gateway port. */
const pagesOfThisMachine = ['http://127.0.0.1:*', 'http://localhost:*']

/**
 * By default, pages of every origin are allowed, because every holder of a presigned URL may use it. If origins are
 * set, only those and the console are allowed.
 */
function originsOf(named: string | undefined): string[] {
  const origins = (named ?? '').split(',').flatMap((origin) => origin.trim() || [])
  return origins.length === 0 ? ['*'] : [...origins, ...pagesOfThisMachine]
}

type PrepareOptions = {
  addresses: ServerAddresses
  coldTier: ColdTier
  layout: DataLayout
  logs: Logs
  options: ResolvedOptions
}

/** Returns the ID of the oldest account. In production, an installation without accounts is returned as undefined. */
export async function prepareServers({
  addresses: { adminUrl, databaseUrls, store },
  coldTier,
  layout,
  logs,
  options,
}: PrepareOptions): Promise<string | undefined> {
  const { servicesDir, checkout: cwd, host } = options
  await Promise.all([prepareDatabase(adminUrl, databaseUrls), prepareStore(store, options)])
  const jobs = { servicesDir, cwd, layout, logs, host }
  await runMigrations(databaseUrls, jobs)
  const isChosen = options.production !== undefined && Boolean(host.STORAGE_NETWORKS)
  if (isChosen || !(await areMarked(coldTier))) {
    // The stack also works if a network is unavailable and cannot be set up.
    await setUpNetworks(databaseUrls.files, coldTier, jobs).catch((error: Error) => options.out(error.message))
  }
  const { keyFile } = options.production ?? {}
  if (keyFile !== undefined) {
    const env = { DATABASE_URL: databaseUrls.auth }
    await runJob('create-first-key', 'auth/src/create-first-key.ts', env, jobs, ['--key-file', keyFile])
  }
  const firstUserId = await findFirstUser(databaseUrls.auth, options.production === undefined)
  if (firstUserId === undefined) await forgetSetUpToken(databaseUrls.auth)
  return firstUserId
}

/** An external store may not support CORS rules, or not allow to change them. Only browsers need one. */
async function prepareStore(
  { accessKeyId, secretAccessKey, ...location }: ExternalStore,
  { host, production, out }: ResolvedOptions,
): Promise<void> {
  const { bucket } = location
  const credentials = async () => ({ accessKeyId, secretAccessKey })
  const prepare = (origins: string[] | undefined) => prepareBucket({ ...location, credentials }, origins)
  await prepare(originsOf(host.CORS_ORIGINS)).catch(async (refusal: Error) => {
    if (production?.external.s3 === undefined) throw refusal
    await prepare(undefined).catch((error: Error) => {
      const reason = `${error.name}: ${error.message}`
      throw new Error(`The bucket ${bucket} cannot be created or used: ${reason}`, { cause: error })
    })
    out(`The CORS rule of the bucket ${bucket} was not set (${refusal.name}). Set one, so that browsers can use it.`)
  })
}

export async function setUpNetworks(databaseUrl: string, { settings }: ColdTier, options: JobOptions): Promise<void> {
  await runJob('set-up-network', 'files/src/set-up-network.ts', { DATABASE_URL: databaseUrl, ...settings }, options)
}

/** Whether all networks are directories that a set-up has marked. The services check the markers. */
async function areMarked({ networkDirs }: ColdTier): Promise<boolean> {
  const contents = Object.entries(networkDirs).map(async ([name, dir]) =>
    isOnNode(name) ? [] : await readdir(dir).catch(() => []),
  )
  return (await Promise.all(contents)).every((names) => names.length > 0)
}

/** Starts no process for a schema that is up to date. */
async function runMigrations(databaseUrls: DatabaseUrls, options: JobOptions): Promise<void> {
  const jobs = Object.entries(databaseUrls).map(async ([owner, url]) => {
    if (await isMigrated(owner as Owner, url, options.cwd)) return
    await runJob(`migrate-${owner}`, `${owner}/src/migrate.ts`, { MIGRATION_DATABASE_URL: url }, options)
  })
  await Promise.all(jobs)
}

/** The oldest account, as which development mode acts. `seed` creates an account if none exists. */
async function findFirstUser(authDatabaseUrl: string, seed: boolean): Promise<string | undefined> {
  return withClient(authDatabaseUrl, async (client) => {
    if (seed) {
      await client.query(
        `insert into auth.account (id, issuer, subject) select uuidv7(), 'development', 'first-user'
         where not exists (select from auth.account)`,
      )
    }
    const { rows } = await client.query<{ id: string }>('select id from auth.account order by created_at, id limit 1')
    return rows[0]?.id
  })
}

/** No process that printed the token runs, so that the auth service prints a new one without waiting for others. */
async function forgetSetUpToken(authDatabaseUrl: string): Promise<void> {
  await withClient(authDatabaseUrl, async (client) => {
    await client.query('delete from auth.set_up_token where expires_at is null')
  })
}
