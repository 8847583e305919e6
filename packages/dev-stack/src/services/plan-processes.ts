import { freePort, isPortFree } from '../ports/free-port.ts'
import { type ServiceName, serviceNames, speaksHttp } from './service-name.ts'

/** A service process and the ports it keeps for the life of the stack. */
export type PlannedProcess = {
  name: ServiceName
  /** Counted from 0. */
  replica: number
  port: number
  adminPort: number
  /** Where it answers HTTP; undefined for workers. */
  url: string | undefined
  adminUrl: string
}

/**
 * Decides which processes there will be and their ports; `gatewayPort` is that of the first gateway, 0 for any free
 * one. Throws a sentence when it is taken.
 */
export async function planProcesses(
  gatewayPort: number,
  replicas: Partial<Record<ServiceName, number>>,
): Promise<PlannedProcess[]> {
  if (gatewayPort !== 0 && !(await isPortFree(gatewayPort))) {
    throw new Error(
      `Port ${gatewayPort} is taken. Stop what listens there, or choose another (--port 0: any free one).`,
    )
  }
  const names = serviceNames.flatMap((name) =>
    Array.from({ length: replicas[name] ?? 1 }, (_, i) => [name, i] as const),
  )
  return Promise.all(
    names.map(async ([name, replica]) => {
      const wanted = name === 'gateway' && replica === 0 ? gatewayPort : 0
      const [port, adminPort] = [wanted || (await freePort()), await freePort()]
      const url = speaksHttp(name) ? `http://127.0.0.1:${port}` : undefined
      return { name, replica, port, adminPort, url, adminUrl: `http://127.0.0.1:${adminPort}` }
    }),
  )
}

/** The addresses of all replicas of a service. */
export function urlsOf(name: ServiceName, processes: readonly PlannedProcess[]): string[] {
  return processes.flatMap((process) => (process.name === name && process.url ? [process.url] : []))
}
