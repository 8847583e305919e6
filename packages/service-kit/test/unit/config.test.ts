import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConfigError, fitting, isSecret, loadConfig } from '../../src/config/config.ts'
import { misspelledSettings } from '../../src/config/misspelled.ts'
import {
  databaseSettings,
  identityTokenPublicSettings,
  natsSettings,
  portSetting,
  processSettings,
} from '../../src/config/process-settings.ts'
import {
  baseUrl,
  boolean,
  bytes,
  decimal,
  family,
  list,
  origin,
  seconds,
  secret,
  url,
} from '../../src/config/setting.ts'

function faultsOf(settings: z.ZodObject, env: Record<string, string>): readonly string[] {
  try {
    loadConfig(settings, env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('loadConfig', () => {
  it('reads a setting from the file in NAME_FILE, without surrounding blanks, line endings, or byte order mark', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tideport-config-'))
    const file = join(dir, 'password')
    await writeFile(file, 'two words\n')
    const settings = z.object({ PASSWORD: secret(z.string()), OTHER: z.string().default('as ever') })
    expect(loadConfig(settings, { PASSWORD_FILE: file })).toEqual({ password: 'two words', other: 'as ever' })
    for (const [before, after] of [
      ['', '\r\n'],
      ['\ufeff', '\n\n'],
      [' \n', '\t'],
      ['', '\r'],
    ]) {
      const text = `${before}two words${after}`
      await writeFile(file, text)
      for (const env of [{ PASSWORD_FILE: file }, { PASSWORD: text }] as Record<string, string>[])
        expect(loadConfig(settings, env)).toEqual({ password: 'two words', other: 'as ever' })
    }
    expect(faultsOf(settings, { PASSWORD: '\n' })).toEqual(['PASSWORD: is required'])
    expect(faultsOf(settings, { PASSWORD_FILE: file, PASSWORD: 'x' })).toEqual([
      'PASSWORD_FILE: PASSWORD is also set; set only one of them',
    ])
    expect(faultsOf(settings, { PASSWORD_FILE: join(dir, 'absent') })).toEqual([
      'PASSWORD_FILE: cannot be read (ENOENT)',
    ])
    await rm(dir, { recursive: true })
  })

  it('reads typed values under camelCased names', () => {
    const settings = z.object({
      HOT_RETENTION_SECONDS: seconds(),
      S3_FORCE_PATH_STYLE: boolean(),
      MAX_PUT_BYTES: bytes().default(5),
      WEBHOOK_RETRY_SCALE: decimal(),
      CORS_ORIGINS: list(url()).default([]),
    })
    const env = { HOT_RETENTION_SECONDS: '60', S3_FORCE_PATH_STYLE: 'false', WEBHOOK_RETRY_SCALE: '0.01' }
    const config: { hotRetentionSeconds: number; s3ForcePathStyle: boolean; corsOrigins: string[] } = loadConfig(
      settings,
      { ...env, CORS_ORIGINS: 'https://a.example , https://b.example,' },
    )
    expect(config).toEqual({
      hotRetentionSeconds: 60,
      s3ForcePathStyle: false,
      maxPutBytes: 5,
      webhookRetryScale: 0.01,
      corsOrigins: ['https://a.example', 'https://b.example'],
    })
  })

  it.for([
    ['PUBLIC_ULR', 'PUBLIC_URL'],
    ['public_url', 'PUBLIC_URL'],
    ['PUBLIC-URL', 'PUBLIC_URL'],
    ['PUBLIC_URL_FIEL', undefined],
    ['PUBLIC_ULR_FILE', 'PUBLIC_URL'],
    ['PROT', 'PORT'],
    ['S3PORT', 'S3_PORT'],
    ['IDENTITY_PROVIDER_CLIENT', 'IDENTITY_PROVIDER_CLIENT_ID'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['HOT_RETENTION', 'HOT_RETENTION_SECONDS'],
    ...['PATH', 'HOME', 'HOST', 'POST', 'PUBLIC_HOST', 'S3_HOST', 'TRAEFIK_PORT', 'HOT'].map((name) => [name] as const),
    ...['PUBLIC_URL_FILE', 'IDENTITY_PROVIDER_SECRET', 'COMPOSE_FILE'].map((name) => [name] as const),
  ] as const)('suggests for the variable %s: %s', ([name, meant]) => {
    const known = ['PUBLIC_URL', 'PORT', 'S3_PORT', 'IDENTITY_PROVIDER_CLIENT_ID', 'TRUSTED_PROXIES', 'HOT_RETENTION_SECONDS'] // biome-ignore format: a list
    const fault = `${name}: unknown setting. Did you mean ${meant}?`
    expect(misspelledSettings({ [name]: '1' }, known)).toEqual(meant === undefined ? [] : [fault])
    expect(misspelledSettings({ [name]: '' }, known)).toEqual([])
  })

  it('removes trailing slashes from a base URL, and everything after the host and port from an origin', () => {
    const settings = z.object({ AT: baseUrl(), ALL: list(baseUrl()), FROM: list(origin()) })
    const [at, from] = ['https://a.example/sub', 'https://a.example']
    const env = { AT: `${at}/`, ALL: `${at}//, ${from}/`, FROM: `${from}/,https://A.example,${from}:443/,${at}` }
    expect(loadConfig(settings, env)).toEqual({ at, all: [at, from], from: [from, from, from, from] })
  })

  it('rejects base URLs and origins with a login, a query, or a fragment', () => {
    const settings = z.object({ AT: baseUrl().optional(), FROM: origin().optional() })
    for (const [name, text] of Object.entries({ AT: 'https://a.example/sub/', FROM: 'http://[::1]:3000' })) {
      expect(faultsOf(settings, { [name]: text }), text).toEqual([])
    }
    const wrong = [
      'https://a.example?b=c',
      'https://a.example#b',
      'https://me:word@a.example',
      'https://a.example:99999',
    ]
    for (const text of wrong) expect(faultsOf(settings, { AT: text }), text).not.toEqual([])
    for (const text of wrong) expect(faultsOf(settings, { FROM: text }), text).not.toEqual([])
  })

  it('treats an empty string as unset', () => {
    expect(loadConfig(z.object(processSettings), { LOG_LEVEL: '', FAILPOINT_DIR: '' })).toMatchObject({
      logLevel: 'info',
      shutdownSeconds: 25,
    })
    expect(faultsOf(z.object({ A: z.string() }), { A: '' })).toEqual(['A: is required'])
  })

  it('reports all faults together, each with the name and purpose of the setting', () => {
    const settings = z.object({ PORT: portSetting(8080), ...databaseSettings, WAIT_SECONDS: seconds({ max: 10 }) })
    const faults = faultsOf(settings, { PORT: '99999', DATABASE_POOL_SIZE: 'many', WAIT_SECONDS: '1.5' })
    expect(faults).toHaveLength(4)
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'PORT',
      'DATABASE_URL',
      'DATABASE_POOL_SIZE',
      'WAIT_SECONDS',
    ])
    expect(faults[1]).toBe('DATABASE_URL: is required (Postgres, with the role that owns the schema)')
  })

  it('never shows the value of a secret', () => {
    const settings = z.object({
      KEY: secret(
        z.string().refine((value) => value.length > 99, { error: ({ input }) => `${String(input)} is short` }),
      ),
      CHOICE: secret(z.enum(['a'])).optional(),
      ...databaseSettings,
      ...natsSettings,
    })
    const env = { KEY: 'hunter2', CHOICE: 'hunter2', DATABASE_URL: 'mysql://u:hunter2@db', NATS_URL: 'x://u:hunter2@n' }
    const faults = faultsOf(settings, env)
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['KEY', 'CHOICE', 'DATABASE_URL', 'NATS_URL'])
    expect(faults.join()).not.toContain('hunter2')
  })

  it('reports a fault between settings', () => {
    const settings = z.object({ A: seconds(), B: seconds() }).refine(({ A, B }) => A < B, 'A must be less than B')
    expect(faultsOf(settings, { A: '2', B: '1' })).toEqual(['A must be less than B'])
  })

  it('checks settings together with parsed values, including families, and only if each value is valid', () => {
    const settings = fitting(z.object({ NAMES: family((text) => text.split('+')), ONE: z.string() }), (config) =>
      config.names.includes(config.one) ? [] : [`ONE: is none of ${config.names.length}`],
    )
    expect(faultsOf(settings, { NAMES: 'a+b', ONE: 'b' })).toEqual([])
    expect(faultsOf(settings, { NAMES: 'a+b', ONE: 'c' })).toEqual(['ONE: is none of 2'])
    expect(faultsOf(settings, { NAMES: 'a+b' })).toEqual(['ONE: is required'])
  })
})

describe('settings', () => {
  it.each(['1e3', ' 5', '5s', '-1', '0x10', '99999999999999999', ''])('rejects %j as a number of seconds', (text) => {
    expect(seconds().safeParse(text).success).toBe(false)
  })

  it.each(['1', 'yes', 'TRUE', 'on'])('rejects %j as a boolean, so no typing error turns something off', (text) => {
    expect(boolean().safeParse(text).success).toBe(false)
  })

  it('finds the secret mark of optional and described settings', () => {
    expect(isSecret(secret(z.string()).optional())).toBe(true)
    expect(isSecret(secret(z.string()).describe('a key'))).toBe(true)
    expect(isSecret(z.string().describe('no key'))).toBe(false)
  })

  it.each([
    'no json',
    '{"keys":[]}',
    '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}',
    '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}]}',
  ])('rejects %s as public keys: no JSON, no keys, no kid, or a private key', (text) => {
    expect(identityTokenPublicSettings.IDENTITY_TOKEN_PUBLIC_KEYS.safeParse(text).success).toBe(false)
  })
})
