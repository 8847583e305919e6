import { migrations } from '@tideport/file-lifecycle/state/tables'
import { loadConfig } from '@tideport/service-kit/config/config'
import { createNetworkDirectory } from '@tideport/testing/network-directory'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { settings as ofProcess } from '../../src/config.ts'

interface Body {
  waitingFor?: string[]
  dependencies: Record<string, string>
  copiesNotConfigured?: Record<string, number>
}

const downloadKey = Buffer.alloc(32, 7).toString('base64')

const start = (program: string, env: Record<string, string>) =>
  spawnProgram(new URL(`../../src/${program}.ts`, import.meta.url), env)

/** Runs a job, which must exit with code 0. */
async function run(program: 'migrate' | 'set-up-network', env: Record<string, string>): Promise<void> {
  await using job = start(program, env)
  expect(await job.ended, job.printed()).toEqual({ code: 0, signal: null })
}

async function settings(options: { migrations?: URL } = {}) {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await createTestDatabase({ schema: 'files', ...options }))
  const directory = stack.use(await createNetworkDirectory())
  const { settings: s3 } = stack.use(await createBucket())
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.url,
    NATS_URL: 'nats://127.0.0.1:9',
    IDENTITY_TOKEN_PUBLIC_KEYS: createPrincipalKeys().publicKeys,
    ...s3Environment(s3),
    EMBEDDED_NETWORK_DIR: directory.path,
    EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY: 'true',
    PUBLIC_URL: 'https://files.example',
    DOWNLOAD_TOKEN_KEYS: downloadKey,
  }
  return { env, database, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('the files process', () => {
  it('is not ready on a schema from before the first release, which the migration job rejects and leaves unchanged', async () => {
    await using given = await settings()
    const { sql } = given.database
    await sql('create table schema_migration (name text primary key, checksum text not null, timestamp text not null)')
    // The first and the last of the 46 migrations before one migration created the complete schema.
    await sql(`insert into schema_migration values
      ('0001_files', 'f79b9d32accf03e097d6a3fca09ae1925888ca86f42718ab75bf389d6549d465', now()),
      ('0033_room_for_uploads', 'a7d02f60e2b2d78b6bc59881ceef3e351056fa72305d9fa5172ef5198a2a7934', now())`)
    await using job = start('migrate', given.env)
    expect((await job.ended).code).toBe(1)
    expect(job.printed()).toContain('The schema "files" has different migrations than this version')
    expect(job.printed()).toContain('Nothing was changed')
    const tables = `select table_name from information_schema.tables where table_schema = 'files'`
    expect(await sql(tables)).toEqual([{ table_name: 'schema_migration' }])
    await using files = start('main', given.env)
    const adminUrl = await files.adminUrl()
    await files.line('listening')
    expect(((await (await fetch(`${adminUrl}/ready`)).json()) as Body).waitingFor).toEqual(['migrated'])
    await waitFor(async () => files.printed().includes('The schema \\"files\\" has different migrations'), {
      what: 'the sentence',
    })
  })

  it('is ready once its schema is migrated, even without the broker, and exits cleanly', async () => {
    await using given = await settings()
    await using files = start('main', given.env)
    const adminUrl = await files.adminUrl()
    await files.line('listening')
    const ready = () => fetch(`${adminUrl}/ready`)
    expect(((await (await ready()).json()) as Body).waitingFor).toEqual(['migrated'])
    await run('migrate', given.env)
    await files.ready()
    const network = 'storage_network_embedded'
    const dependencies = { postgres: 'up', nats: 'down', hot_tier: 'up', [network]: 'down' }
    expect(await (await ready()).json()).toMatchObject({ dependencies, faults: { [network]: 'missing' } })
    expect(await files.metrics()).toMatch(
      /tideport_storage_network_fault\{network="embedded",fault="missing",service="files"\} 1/,
    )
    await run('set-up-network', given.env)
    const body = (await (await ready()).json()) as Body
    const singleCopy = { network: 'embedded', driver: 'embedded' }
    expect(body).toEqual({ status: 'ready', dependencies: { ...dependencies, [network]: 'up' }, singleCopy })
    expect(files.printed()).toMatch(
      /"level":"warn".*"network":"embedded".*only one network is required, so a cold file has a single copy/,
    )
    expect(await files.metrics()).toMatch(
      /tideport_storage_network_free_bytes\{network="embedded",service="files"\} \d+/,
    )
    expect(await files.stop()).toEqual({ code: 0, signal: null })
    expect(files.printed()).not.toContain(downloadKey)
  })

  it('is ready, and reports copies on a network that is not configured', async () => {
    await using given = await settings({ migrations })
    await given.database.sql(`
      with account as (insert into files.account (id) values (gen_random_uuid()) returning id),
      vault as (insert into files.vault (id, account_id, name, visibility, slug)
        select gen_random_uuid(), id, 'v', 'public', 'v' from account returning id, account_id),
      file as (insert into files.file (id, account_id, vault_id, name, mime_type, size_bytes, upload_key, upload_expires_at)
        select gen_random_uuid(), account_id, id, 'n', 'image/png', 1, 'k', now() from vault returning id)
      insert into files.copy (file_id, network, reference, blob_id, state)
      select id, network, id || '_1', 'blob', state from file,
        (values ('away', 'proved'), ('gone', 'dropped'), ('embedded', 'proved')) as copies (network, state)`)
    await using files = start('main', given.env)
    const adminUrl = await files.adminUrl()
    const told = await waitFor(async () => {
      const body = (await (await fetch(`${adminUrl}/ready`)).json()) as Body & { status: string }
      return body.status === 'ready' && body.copiesNotConfigured
    })
    expect(told).toEqual({ away: 1 })
  })

  it('reports all faults of its configuration together, without secrets', () => {
    const wrong = { DOWNLOAD_TOKEN_KEYS: 'too-short', PUBLIC_READS: 'sometimes' }
    let faults = ''
    try {
      loadConfig(ofProcess, wrong)
    } catch (error) {
      faults = String(error)
    }
    for (const name of ['DATABASE_URL', 'PUBLIC_URL', 'DOWNLOAD_TOKEN_KEYS', 'PUBLIC_READS', 'S3_BUCKET']) {
      expect(faults).toContain(`${name}: `)
    }
    expect(faults).not.toContain('too-short')
  })
})
