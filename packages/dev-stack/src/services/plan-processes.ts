import { freePort, isPortFree } from '../ports/free-port.ts'
import { type ServiceName, serviceNames, speaksHttp } from './service-name.ts'

export type PlannedService = {
  name: ServiceName
  replica: number
  /** The process that runs it, for example `sync-0`, or `serve-0` with several services. */
  process: string
  port: number
  /** Of the process. */
  adminPort: number
  /** Undefined for workers, which serve no requests. */
  url: string | undefined
  adminUrl: string
}

export type Layout = {
  /** Services of which the first replica runs in one process with the others. */
  together: readonly ServiceName[]
  /** Number of replicas of each service. Defaults to one. */
  replicas: Partial<Record<ServiceName, number>>
  /** Address of the gateway's port. Defaults to 127.0.0.1. */
  host?: string | undefined
}

/** Throws a sentence when `gatewayPort` is in use. With 0, any free port is used. */
export async function planProcesses(
  gatewayPort: number,
  { together, replicas, host }: Layout,
): Promise<PlannedService[]> {
  if (gatewayPort !== 0 && !(await isPortFree(gatewayPort, host))) {
    throw new Error(`Port ${gatewayPort} is in use. Stop the process that uses it, or choose another port with --port.`)
  }
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
      const wanted = name === 'gateway' && replica === 0 ? gatewayPort : 0
      const port = wanted || (await freePort())
      const adminPort = isShared ? sharedAdminPort : await freePort()
      const url = speaksHttp(name) ? `http://127.0.0.1:${port}` : undefined
      const process = isShared ? 'serve-0' : `${name}-${replica}`
      return { name, replica, process, port, adminPort, url, adminUrl: `http://127.0.0.1:${adminPort}` }
    }),
  )
}

export function urlsOf(name: ServiceName, services: readonly PlannedService[]): string[] {
  return services.flatMap((service) => (service.name === name && service.url ? [service.url] : []))
}
