import { freePort, isPortFree } from '../ports/free-port.ts'
import { type ServiceName, serviceNames, speaksHttp } from './service-name.ts'

export type PlannedService = {
  name: ServiceName
  replica: number
  /** The process that runs it, for example `sync-0`, or `serve-0` with several services. */
  process: string
  port: number
  /** Port of the S3 API, which only gateways have. */
  s3Port: number | undefined
  /** Of the process. */
  adminPort: number
  /** Undefined for workers, which serve no requests. */
  url: string | undefined
  adminUrl: string
}

/** Ports of the first gateway; 0 selects a free port. */
export type GatewayPorts = { port: number; s3Port: number }

export type Layout = {
  /** Services of which the first replica runs in one process with the others. */
  together: readonly ServiceName[]
  /** Number of replicas of each service. Defaults to one. */
  replicas: Partial<Record<ServiceName, number>>
  /** Address of the gateway's port. Defaults to 127.0.0.1. */
  host?: string | undefined
}

/** Throws a sentence when a chosen port is in use. */
export async function planProcesses(
  { port: gatewayPort, s3Port }: GatewayPorts,
  { together, replicas, host }: Layout,
): Promise<PlannedService[]> {
  await assertFree(gatewayPort, '--port', host)
  await assertFree(s3Port, '--s3-port', host)
  const names = serviceNames.flatMap((name) =>
    Array.from({ length: replicas[name] ?? 1 }, (_, replica) => ({ name, replica })),
  )
  // A gateway calls the services of its own process only, so it would never use another replica of them.
  const canShare = (name: ServiceName) => together.includes(name) && (name === 'gateway' || (replicas[name] ?? 1) === 1)
  const sharing = serviceNames.filter(canShare)
  const sharedAdminPort = await freePort()
  return Promise.all(
    names.map(async ({ name, replica }) => {
      const isShared = sharing.length > 1 && replica === 0 && sharing.includes(name)
      const isFirstGateway = name === 'gateway' && replica === 0
      const port = (isFirstGateway && gatewayPort) || (await freePort())
      const ofS3 = name === 'gateway' ? (isFirstGateway && s3Port) || (await freePort()) : undefined
      const adminPort = isShared ? sharedAdminPort : await freePort()
      const url = speaksHttp(name) ? `http://127.0.0.1:${port}` : undefined
      const process = isShared ? 'serve-0' : `${name}-${replica}`
      return { name, replica, process, port, s3Port: ofS3, adminPort, url, adminUrl: `http://127.0.0.1:${adminPort}` }
    }),
  )
}

async function assertFree(port: number, option: string, host: string | undefined): Promise<void> {
  if (port === 0 || (await isPortFree(port, host))) return
  throw new Error(`Port ${port} is in use. Stop the process that uses it, or choose another port with ${option}.`)
}

export function urlsOf(name: ServiceName, services: readonly PlannedService[]): string[] {
  return services.flatMap((service) => (service.name === name && service.url ? [service.url] : []))
}
