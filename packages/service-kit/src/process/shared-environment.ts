import { processSettings } from '../config/process-settings.ts'

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
 * The environment of one service of a process that can run several: `AUTH_DATABASE_URL` is the `DATABASE_URL` of auth, and so
 * for each setting. `FILES_` also applies to sync and eviction. With several services, `PORT` is the gateway's.
 */
export function environmentOf(service: Reader, services: readonly Reader[], env: Environment): Environment {
  const { name, settings, calls } = service
  const own: Record<string, string | undefined> = { ...env }
  if (name !== 'gateway' && services.length > 1) {
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

/** All names that a process which can run several services reads. */
export function namesOf(services: readonly Reader[]): string[] {
  const plain = services.flatMap(({ settings }) => settings)
  const prefixed = prefixesFor(services).flatMap(({ prefix, settings }) => settings.map((name) => `${prefix}${name}`))
  return [...new Set([...plain, ...prefixed])]
}

/** Reports settings of the complete process that have the prefix of a service, because they would have no effect. */
export function prefixedProcessSettings(services: readonly Reader[], env: Environment): string[] {
  const prefixes = new Set(prefixesFor(services).map(({ prefix }) => prefix))
  return [...prefixes].flatMap((prefix) =>
    ofProcess
      .filter((name) => env[`${prefix}${name}`])
      .map((name) => `${prefix}${name}: applies to the complete process. Set ${name} instead`),
  )
}

/** `HOST` is also the address of a service's own port. */
const ofProcess = Object.keys(processSettings).filter((name) => name !== 'HOST')

const prefixesFor = (services: readonly Reader[]) =>
  services.flatMap(({ name, settings }) => prefixesOf(name).map((prefix) => ({ prefix, settings })))
