import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const example = readFileSync(new URL('.env.example', root), 'utf8')
const given = parseEnv(example) as Record<string, string>

interface Settings {
  shape: Record<string, unknown>
}
type LoadConfig = (settings: Settings, env: Record<string, string>) => Record<string, unknown>

const { loadConfig } = (await import(new URL('packages/service-kit/src/config/config.ts', root).href)) as {
  loadConfig: LoadConfig
}
const services = await Promise.all(
  globSync('services/*/src/config.ts', { cwd: root.pathname }).map(async (path) => {
    const { settings } = await import(new URL(path, root).href)
    return { name: path.split('/')[1], settings: settings as Settings }
  }),
)

/** Names that only the migration job, the local stack, and the tests read. */
const others = ['MIGRATION_DATABASE_URL', 'MIGRATION_LOCK_SECONDS', 'WAIT_SECONDS', 'NATS_SERVER_BIN', 'VERSITYGW_BIN', 'TIDEPORT_CACHE_DIR', 'TIDEPORT_RELEASES_URL'] // biome-ignore format: a list

const compose = readFileSync(new URL('docker-compose.yml', root), 'utf8')

/** Secrets that are created with the commands in the file. */
function makeSecrets(): Record<string, string> {
  const makeKeys = /^#\s+node -p "(.*)"$/m.exec(example)?.[1] ?? ''
  const [privateKey, publicKeys] = execFileSync(process.execPath, ['-p', makeKeys], { encoding: 'utf8' }).split('\n')
  expect(example.match(/openssl rand -base64 32/g)).toHaveLength(3)
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
  return {
    IDENTITY_TOKEN_PRIVATE_KEY: privateKey ?? '',
    IDENTITY_TOKEN_PUBLIC_KEYS: publicKeys ?? '',
    DOWNLOAD_TOKEN_KEYS: random,
    WEBHOOK_SECRET_KEYS: random,
    EXPORT_SECRET_KEYS: random,
  }
}

it('.env.example has exactly the settings that processes read', () => {
  const read = new Set([...services.flatMap(({ settings }) => Object.keys(settings.shape)), ...others])
  expect(Object.keys(given).toSorted()).toEqual([...read].toSorted())
})

it('every process starts with .env.example and secrets from its commands', () => {
  const env = { ...given, ...makeSecrets() }
  for (const { name, settings } of services) {
    expect(() => loadConfig(settings, env), name).not.toThrow()
  }
})

it('no setting or variable of Compose is reported as misspelled', async () => {
  const load = async (file: string) => await import(new URL(file, root).href)
  const { misspelledSettings } = await load('packages/service-kit/src/config/misspelled.ts')
  const { composeVariables } = await load('packages/operator/src/set-up/compose-variables.ts')
  const names = (form: RegExp) => [...compose.matchAll(form)].map(([, name]) => name)
  expect(composeVariables).toEqual([...new Set(['BASE', ...names(/(?<!\$)\$\{(\w+)\b(?!:\+1\})/g)])].toSorted())
  const shapes = services.map(({ settings }) => Object.keys(settings.shape))
  const env = Object.fromEntries([...shapes.flat(), ...composeVariables, ...others].map((name) => [name, 'x']))
  for (const known of [...shapes, composeVariables]) expect(misspelledSettings(env, known)).toEqual([])
})

it('docker-compose.yml lists every setting that it passes to no service', async () => {
  const { composeVariables } = await import(new URL('packages/operator/src/set-up/compose-variables.ts', root).href)
  const settings = new Set(services.flatMap(({ settings }) => Object.keys(settings.shape)))
  // The image sets NODE_ENV.
  const notPassed = [...settings].filter((name) => name !== 'NODE_ENV' && !composeVariables.includes(name))
  const listed = [...compose.matchAll(/(\w+)=\$\{\1:\+1\}/g)].map(([, name]) => name)
  expect(listed).toEqual(notPassed.toSorted())
})
