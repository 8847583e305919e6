import { parseArgs } from 'node:util'
import { s3PortOf } from '../ports/s3-port.ts'
import { type ServiceName, serviceNames } from '../services/service-name.ts'

export type CliOptions = {
  port: number
  s3Port: number
  data: string
  fresh: boolean
  networks?: string[]
  together?: []
  replicas: Partial<Record<ServiceName, number>>
  quiet: boolean
}

export class UsageError extends Error {
  override name = 'UsageError'
}

const maxReplicas = 16
const networkName = /^[a-z0-9-]{1,32}$/
const usage =
  'Options: --port N, --s3-port N, --data DIR, --fresh, --networks disk-a,ipfs,walrus-devnet, --apart, --replicas gateway=2,sync=3, --quiet.'

export function parseOptions(args: readonly string[]): CliOptions {
  const values = parse(args)
  const port = parsePort('--port', values.port)
  return {
    port,
    s3Port: values['s3-port'] === undefined ? s3PortOf(port) : parsePort('--s3-port', values['s3-port']),
    data: values.data,
    fresh: values.fresh,
    ...(values.networks === undefined ? {} : { networks: parseNetworks(values.networks) }),
    ...(values.apart ? { together: [] } : {}),
    replicas: parseReplicas(values.replicas),
    quiet: values.quiet,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '8080' },
        's3-port': { type: 'string' },
        data: { type: 'string', default: '.tideport' },
        fresh: { type: 'boolean', default: false },
        networks: { type: 'string' },
        apart: { type: 'boolean', default: false },
        replicas: { type: 'string', default: '' },
        quiet: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. ${usage}`, { cause: error })
  }
}

function parsePort(option: string, text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`${option} must be a number from 0 to 65535, not "${text}".`)
  return port
}

/** Parses names of storage networks in the format of STORAGE_NETWORKS. Throws `UsageError`. */
export function parseNetworks(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  const fault = names.find((name) => !networkName.test(name))
  if (fault !== undefined) {
    throw new UsageError(
      `--networks must be names of 1 to 32 characters (a-z, 0-9, and -), separated by commas, not "${fault}".`,
    )
  }
  if (new Set(names).size < names.length) throw new UsageError('--networks contains a name twice.')
  return names
}

function parseReplicas(text: string): Partial<Record<ServiceName, number>> {
  const entries = text.split(',').filter((entry) => entry !== '')
  return Object.fromEntries(
    entries.map((entry) => {
      const [name, count] = entry.split('=').map((part) => part.trim())
      const isService = serviceNames.some((service) => service === name)
      if (!isService)
        throw new UsageError(`--replicas: unknown service "${name}". Services: ${serviceNames.join(', ')}.`)
      const isCount = /^\d+$/.test(count ?? '') && Number(count) >= 1 && Number(count) <= maxReplicas
      if (!isCount) throw new UsageError(`--replicas: ${name} must be a number from 1 to ${maxReplicas}.`)
      return [name, Number(count)]
    }),
  )
}
