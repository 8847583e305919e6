import type { Services } from '../services/start-services.ts'
import type { Servers } from './start-servers.ts'

export type StackHealth = {
  isReady: boolean
  /** By name of the process: `restarting` also if it exits again and again. */
  processes: Record<string, 'up' | 'restarting'>
  /** The body of `/ready` of each process of services. */
  services: Record<string, unknown>
}

type Readiness = { dependencies?: Record<string, string>; services?: Record<string, Readiness> }

/** A stack is ready if each of its processes runs steadily, and each service is ready and reaches every server. */
export async function stackHealth(servers: Servers, services: Services): Promise<StackHealth> {
  const { postgres, nats, s3 } = servers
  const started = Object.entries({ postgres, nats, s3 }).flatMap(([name, server]) => (server ? [[name, server]] : []))
  const running = services.running.map(({ name, child }) => [name, child] as const)
  const supervised = [...(started as [string, { isHealthy(): boolean }][]), ...running]
  const processes = supervised.map(([name, child]) => [name, child.isHealthy() ? 'up' : 'restarting'] as const)
  const each = await Promise.all(services.running.map(async (one) => [one.name, await readinessOf(one)] as const))
  const isReady = processes.every(([, state]) => state === 'up') && each.every(([, { isReady }]) => isReady)
  const bodies = each.map(([name, { body }]) => [name, body] as const)
  return { isReady, processes: Object.fromEntries(processes), services: Object.fromEntries(bodies) }
}

async function readinessOf({ services: [first] }: Services['running'][number]) {
  try {
    const response = await fetch(`${first?.adminUrl}/ready`, { signal: AbortSignal.timeout(2_000) })
    const body = (await response.json()) as Readiness
    return { isReady: response.ok && reachesServers(body), body }
  } catch {
    return { isReady: false, body: 'no response' }
  }
}

/** Ignores the storage networks: they may be elsewhere, and uploads and downloads work without them. */
function reachesServers({ dependencies = {}, services = {} }: Readiness): boolean {
  const isUp = ([name, state]: [string, string]) => state === 'up' || name.startsWith('storage_network_')
  return Object.entries(dependencies).every(isUp) && Object.values(services).every(reachesServers)
}
