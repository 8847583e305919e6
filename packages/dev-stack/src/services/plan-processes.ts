import { freePort, isPortFree } from '../ports/free-port.ts'
import { type ServiceName, serviceNames, speaksHttp } from './service-name.ts'

export type PlannedProcess = {
  name: ServiceName
  replica: number
  port: number
  adminPort: number
  /** Base URL of the HTTP API; undefined for workers. */
  url: string | undefined
  adminUrl: string
}

/** Throws an error with a readable message if `gatewayPort` is taken. 0 means any free port. */
export async function planProcesses(
  gatewayPort: number,
  replicas: Partial<Record<ServiceName, number>>,
): Promise<PlannedProcess[]> {
  if (gatewayPort !== 0 && !(await isPortFree(gatewayPort))) {
    throw new Error(
      `Port ${gatewayPort} is in use. Stop the process that uses it, or choose another port (--port 0 selects a free one).`,
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

export function urlsOf(name: ServiceName, processes: readonly PlannedProcess[]): string[] {
  return processes.flatMap((process) => (process.name === name && process.url ? [process.url] : []))
}
