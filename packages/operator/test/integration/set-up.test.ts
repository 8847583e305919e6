import { rm } from 'node:fs/promises'
import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startNats } from '@tideport/testing/nats'
import { corsOrigins } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { describe, expect, it } from 'vitest'
import { setUp } from '../../src/set-up/set-up.ts'
import { setupInstallation } from '../installation.ts'

const never = new AbortController().signal

describe('operator set-up', () => {
  it('creates the queues of every network, so that autoscalers find them before the first worker', async () => {
    await using server = await startNats()
    await using t = await setupInstallation()
    const dir = t.directory.path
    const networks = networksEnvironment({ lake: { dir }, 'disk-b': { dir, role: 'leaving' } })
    const env = { NATS_URL: server.url, ...networks }
    for (const _ of ['once', 'again']) expect((await t.run(setUp, ['streams'], env)).failure).toBeNull()

    const log = createLogger({ service: 'test', level: 'silent' })
    await using link = connectNats({ natsUrl: [server.url], name: 'test', log })
    const connection = await link.connected(never)
    const answer = await connection.request('$JS.API.CONSUMER.NAMES.JOBS')
    const { consumers } = answer.json<{ consumers: string[] }>()
    expect(consumers.toSorted()).toEqual(
      ['evict', 'rehydrate', 'store-lake', 'prove-lake', 'store-disk-b', 'prove-disk-b'].toSorted(),
    )
  })

  it('fails with an error if the NATS store is full, not with an exception of its client', async () => {
    await using server = await startNats()
    const env = { NATS_URL: server.url, EVENTS_MAX_BYTES: '1000000000000000' }
    await using program = spawnProgram(new URL('../../src/main.ts', import.meta.url), env, ['set-up', 'streams'])
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.output.stderr).toMatch(/^operator set-up: NATS has no space for the stream EVENTS.*$/m)
    expect(program.output.stderr).not.toContain('TypeError')
  })

  // An operator who repairs a bucket from a shell without CORS_ORIGINS must not lock out browsers.
  it('keeps the CORS rule of a bucket unless origins are configured, even if the list is empty', async () => {
    await using t = await setupInstallation()
    const setUpBucket = async (env: Record<string, string>) => {
      expect((await t.run(setUp, ['bucket'], env)).failure).toBeNull()
      return corsOrigins(t.bucket)
    }
    const app = 'https://app.example.org'
    expect(await setUpBucket({ CORS_ORIGINS: app })).toEqual([app])
    expect(await setUpBucket({})).toEqual([app])
    expect(await setUpBucket({ CORS_ORIGINS: '' })).toEqual([app])
    expect(await setUpBucket({ CORS_ORIGINS: ',' })).toEqual([])
  })

  it('creates nothing if a later step has invalid settings; --check reports every fault and creates nothing', async () => {
    await using t = await setupInstallation()
    const unusable = { CORS_ORIGINS: 'https://app.example.org', NATS_URL: 'elsewhere' }
    expect((await t.run(setUp, ['bucket', 'streams'], unusable)).failure).toContain('NATS_URL: ')
    expect(await corsOrigins(t.bucket)).toEqual([])
    const nowhere = {
      ...{ NATS_URL: 'nats://127.0.0.1:9', STORAGE_NETWORKS: '', CORS_ORIGINS: 'https://app.example.org' },
      ...{ ADMIN_DATABASE_URL: 'postgres://127.0.0.1:9', AUTH_DATABASE_URL: 'postgres://127.0.0.1:9' },
      ...{ FILES_DATABASE_URL: 'postgres://127.0.0.1:9', WEBHOOKS_DATABASE_URL: 'postgres://127.0.0.1:9' },
    }
    const steps = ['database', 'migrations', 'bucket', 'streams', 'network', 'account']
    const check = (env: Record<string, string>) => t.run(setUp, [...steps, '--check'], { ...nowhere, ...env })
    expect(await check({})).toMatchObject({ failure: null, lines: ['set-up: the configuration is valid'] })
    expect(await corsOrigins(t.bucket)).toEqual([])
    const { failure } = await check({ CORS_ORIGINS: 'app.example.org', NATS_URL: '', STORAGE_NETWORKS: 'a,a' })
    for (const name of ['CORS_ORIGINS', 'NATS_URL', 'STORAGE_NETWORKS']) expect(failure).toContain(`${name}: `)
  })

  it('rejects misspelled settings and Compose variables with --check-names', async () => {
    await using t = await setupInstallation()
    const [S3_REGON, POTR, others] = [
      'us-east-1',
      '8080',
      { PORT: '8080', TRAEFIK_PORT: '443', COMPOSE_PROFILES: 'observe' },
    ]
    const run = (...args: string[]) => t.run(setUp, ['bucket', '--check', ...args], { ...others, S3_REGON, POTR })
    expect((await run()).failure).toBeNull()
    const { failure } = await run('--check-names')
    expect(failure).toBe(
      'S3_REGON: unknown setting. Did you mean S3_REGION?\nPOTR: unknown setting. Did you mean PORT?',
    )
    expect((await t.run(setUp, ['bucket', '--check', '--check-names'], others)).failure).toBeNull()
  })

  it('rejects settings in .env that Compose passes to no service, and their misspelled names, with --check-names', async () => {
    await using t = await setupInstallation()
    const run = async (env: Record<string, string>) =>
      (await t.run(setUp, ['bucket', '--check', '--check-names'], env)).failure
    const list = (...set: string[]) => ({
      SETTINGS_NOT_PASSED: ['RATE_LIMIT_BURST', 'S3_BUCKET', 'SYNC_CONCURRENCY', 'HOST']
        .map((name) => `${name}=${set.includes(name) ? '1' : ''}`)
        .join(' '),
    })
    expect(await run({ ...list('RATE_LIMIT_BURST', 'S3_BUCKET'), RATE_LIMIT_BURST: '9' })).toBe(
      ['RATE_LIMIT_BURST', 'S3_BUCKET'].map((name) => `${name}: docker-compose.yml sets this itself. To change it, use docker-compose.override.yml.`).join('\n'), // biome-ignore format: one sentence
    )
    expect(await run({ ...list(), RATE_LIMIT_BRUST: '9' })).toContain('Did you mean RATE_LIMIT_BURST?')
    // From networks.env, and from the operator's shell.
    expect(await run({ ...list('HOST'), SYNC_CONCURRENCY: '9' })).toBeNull()
  })

  it.for([
    ['migrations', { MIGRATION_LOCK_SECONDS: 'soon' }, 'MIGRATION_LOCK_SECONDS: '],
    ['migrations', { WEBHOOKS_DATABASE_URL: '' }, 'MIGRATION_DATABASE_URL: is required'],
    ['network', { FILES_DATABASE_URL: 'files', DATABASE_URL: '' }, 'DATABASE_URL: '],
    ['account', { AUTH_DATABASE_URL: '', DATABASE_URL: '' }, 'DATABASE_URL: is required'],
  ] as const)('validates with --check the settings that the program of %s reads', async ([step, wrong, fault]) => {
    await using t = await setupInstallation()
    const url = { AUTH_DATABASE_URL: t.env.DATABASE_URL, FILES_DATABASE_URL: t.env.DATABASE_URL }
    const all = { ...url, WEBHOOKS_DATABASE_URL: t.env.DATABASE_URL }
    expect((await t.run(setUp, [step, '--check'], all)).failure).toBeNull()
    expect((await t.run(setUp, [step, '--check'], { ...all, ...wrong })).failure).toContain(fault)
  })

  it('accepts an empty volume for a network with lost copies only with --accept-lost-copies', async () => {
    await using t = await setupInstallation()
    await t.coldFile()
    await rm(t.directory.path, { recursive: true })
    const setUpNetwork = async (...more: string[]) => (await t.run(setUp, ['network', ...more])).failure
    expect(await setUpNetwork()).toContain('exited with code 1')
    expect(await setUpNetwork('--accept-lost-copies')).toBeNull()
    expect(await setUpNetwork()).toBeNull()
  })
})
