type Environment = Readonly<Record<string, string | undefined>>

interface Reader {
  name: string
  settings: readonly string[]
  calls: readonly string[]
}

/** The URL of a service that is called directly. No request is sent to it. */
const DIRECT_URL = 'http://direct.invalid'

/** Services that use the same database role. Their settings may have its name as a prefix, too. */
const filesServices = ['files', 'sync', 'eviction']

/** Prefixes of settings for one service in a process with several, the strongest last. */
const prefixesOf = (service: string): string[] =>
  [...(filesServices.includes(service) ? ['files'] : []), service].map((name) => `${name.toUpperCase()}_`)

/**
 * The environment of one service in a process with several: `AUTH_DATABASE_URL` is the `DATABASE_URL` of auth, and so
 * for each setting. `FILES_` also applies to sync and eviction. `PORT` is the gateway's.
 */
export function environmentOf(service: Reader, services: readonly Reader[], env: Environment): Environment {
  if (services.length === 1) return env
  const { name, settings, calls } = service
  const own: Record<string, string | undefined> = { ...env }
  if (name !== 'gateway') {
    delete own.PORT
    delete own.PORT_FILE
  }
  for (const prefix of prefixesOf(name)) {
    for (const setting of settings) {
      const given = [setting, `${setting}_FILE`].filter((key) => env[`${prefix}${key}`])
      if (given.length === 0) continue
      delete own[setting]
      delete own[`${setting}_FILE`]
      for (const key of given) own[key] = env[`${prefix}${key}`]
    }
  }
  for (const other of services) {
    if (calls.includes(other.name)) own[`${other.name.toUpperCase()}_URL`] = DIRECT_URL
  }
  return own
}

/** All names that a process with these services reads. */
export function namesOf(services: readonly Reader[]): string[] {
  const plain = services.flatMap(({ settings }) => settings)
  if (services.length === 1) return plain
  const prefixed = services.flatMap(({ name, settings }) =>
    prefixesOf(name).flatMap((prefix) => settings.map((setting) => `${prefix}${setting}`)),
  )
  return [...new Set([...plain, ...prefixed])]
}
