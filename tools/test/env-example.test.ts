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
  expect(example.match(/openssl rand -base64 32/g)).toHaveLength(4)
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
  return {
    IDENTITY_TOKEN_PRIVATE_KEY: privateKey ?? '',
    IDENTITY_TOKEN_PUBLIC_KEYS: publicKeys ?? '',
    DOWNLOAD_TOKEN_KEYS: random,
    WEBHOOK_SECRET_KEYS: random,
    EXPORT_SECRET_KEYS: random,
    S3_API_SECRET_KEYS: random,
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

const load = async (file: string) => await import(new URL(file, root).href)
const settingNames = services.map(({ name = '', settings }) => ({ name, settings: Object.keys(settings.shape) }))

it('no setting or variable of Compose is reported as misspelled', async () => {
  const { misspelledSettings } = await load('packages/service-kit/src/config/misspelled.ts')
  const { namesOf } = await load('packages/service-kit/src/process/shared-environment.ts')
  const { composeVariables } = await load('packages/operator/src/set-up/compose-variables.ts')
  const names = (form: RegExp) => [...compose.matchAll(form)].map(([, name]) => name)
  const used = [...names(/(?<!\$)\$\{(\w+)\b(?!:\+1\})/g), ...names(/^ +([A-Z]\w+):$/gm)]
  expect(composeVariables).toEqual([...new Set(['BASE', ...used])].toSorted())
  const workers = settingNames.filter(({ name }) => ['sync', 'eviction'].includes(name))
  const known = [...settingNames.map(({ settings }) => settings), namesOf(settingNames), namesOf(workers)]
  const env = Object.fromEntries([...known.flat(), ...composeVariables, ...others].map((name) => [name, 'x']))
  for (const names of [...known, composeVariables]) expect(misspelledSettings(env, names)).toEqual([])
})

it('docker-compose.yml lists every setting to which it gives a value', () => {
  const isSetting = new Set(settingNames.flatMap(({ settings }) => settings))
  const [shared = '', services = ''] = compose.split('\nservices:\n')
  const [, ofServe = ''] = /\n {2}serve:\n(.*?)\n {2}workers:\n/s.exec(services) ?? []
  const given = [...`${shared}${ofServe}`.matchAll(/^ +([A-Z]\w+): (?!\*|.*\$\{)/gm)].map(([, name = '']) =>
    name.replace(/_FILE$/, '').replace(/^(AUTH|FILES|SYNC|EVICTION|WEBHOOKS)_/, ''),
  )
  const listed = [...compose.matchAll(/(\w+)=\$\{\1:\+1\}/g)].map(([, name]) => name)
  // PORT and S3_API_PORT are ports outside of the container.
  const isListed = (name: string) => isSetting.has(name) && !['PORT', 'S3_API_PORT'].includes(name)
  expect(listed).toEqual([...new Set(given.filter(isListed))].toSorted())
})
