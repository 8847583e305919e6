import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { withWaitBudget } from '../context/request-context.ts'
import { WaitBudget } from '../context/wait-budget.ts'
import { type Metrics, renderAll } from '../telemetry/metrics.ts'
import { http } from './node-http.ts'

const CHECK_MS = 1000
const JSON_TYPE = 'application/json'

type Check = () => boolean | Promise<boolean>

interface AdminOptions {
  /** Of the process. */
  metrics: Metrics
  host: string
  port: number
}

interface Observed {
  name: string
  health: Health
  metrics: Metrics
}

/**
 * Serves `/live`, `/ready`, and `/metrics` of the services in `observed`, which may grow. `toldReady` resolves after the
 * first response that they are ready. Rejects if the port is in use.
 */
export async function serveAdmin(observed: readonly Observed[], { metrics, host, port }: AdminOptions) {
  const server = http.createServer((request, response) => {
    void respond(request.url?.split('?')[0] ?? '', response).catch(() => response.destroy())
  })

  const toldReady = Promise.withResolvers<void>()

  async function respond(path: string, response: ServerResponse): Promise<void> {
    if (path === '/live') return send(response, 200, JSON_TYPE, '{"status":"live"}')
    if (path === '/ready') {
      const readiness = await readinessOf(observed)
      if (readiness.status === 'ready') response.once('finish', toldReady.resolve)
      return sendReadiness(response, readiness)
    }
    if (path !== '/metrics') return send(response, 404, JSON_TYPE, '{"status":"not found"}')
    await Promise.all(observed.map(({ health }) => health.checkDependencies()))
    const { contentType, text } = await renderAll(new Set([metrics, ...observed.map((service) => service.metrics)]))
    send(response, 200, contentType, text)
  }

  server.listen(port, host)
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))
  return {
    port: (server.address() as AddressInfo).port,
    toldReady: toldReady.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

interface Readiness {
  status: 'starting' | 'ready' | 'draining'
}

/** Of one service its readiness; of several the worst status, and the readiness of each. */
async function readinessOf(observed: readonly Observed[]): Promise<Readiness> {
  const each = await Promise.all(observed.map(async ({ name, health }) => [name, await health.readiness()] as const))
  const [only] = each
  if (each.length === 1 && only !== undefined) return only[1]
  const statuses = each.map(([, { status }]) => status)
  const worse = (['draining', 'starting'] as const).find((status) => statuses.includes(status))
  const services = Object.fromEntries(each)
  return Object.assign({ status: worse ?? (each.length > 0 ? 'ready' : 'starting') } as const, { services })
}

export function sendReadiness(response: ServerResponse, readiness: Readiness): void {
  send(response, readiness.status === 'ready' ? 200 : 503, JSON_TYPE, JSON.stringify(readiness))
}

/** A service is ready if it has started, has met every condition once, and is not draining. */
export class Health {
  readonly #metrics: Metrics
  readonly #pending = new Map<string, Check>()
  readonly #dependencies = new Map<string, Check>()
  readonly #told = new Map<string, () => Promise<Record<string, unknown>>>()
  #faults: Record<string, string> = {}
  #isStarted = false
  #isDraining = false

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  /** Adds a condition of readiness, such as "migrated". It is checked until it is met once. */
  readyWhen(name: string, check: Check): void {
    this.#pending.set(name, check)
  }

  /** Shown in metrics and in the body of `/ready`, never in its status. The body includes the `fault` of an error. */
  dependency(name: string, check: Check): void {
    this.#dependencies.set(name, check)
  }

  /** Adds a field with this name to the body of `/ready`. It does not affect the status. */
  tell(name: string, read: () => Promise<Record<string, unknown>>): void {
    this.#told.set(name, read)
  }

  markStarted(): void {
    this.#isStarted = true
  }

  markDraining(): void {
    this.#isDraining = true
    this.#metrics.markDraining()
  }

  /** Whether the service has started and met every condition. */
  async isReady(): Promise<boolean> {
    await this.#checkConditions()
    return this.#isStarted && this.#pending.size === 0
  }

  /** The body of `/ready`. The gateway also serves it on its public port. */
  async readiness(): Promise<Readiness> {
    const [dependencies, told] = await Promise.all([
      this.checkDependencies(),
      this.#readTold(),
      this.#checkConditions(),
    ])
    const waitingFor = [...(this.#isStarted ? [] : ['start']), ...this.#pending.keys()]
    const isReady = waitingFor.length === 0 && !this.#isDraining
    const status = this.#isDraining ? 'draining' : isReady ? 'ready' : 'starting'
    const faults = Object.keys(this.#faults).length > 0 ? { faults: this.#faults } : {}
    return { status, ...(isReady ? {} : { waitingFor }), ...{ dependencies, ...faults, ...told } }
  }

  /** Omits fields that cannot be read in time. */
  async #readTold(): Promise<Record<string, unknown>> {
    const reads = [...this.#told].map(async ([name, read]) => {
      const told = await inTime(read, {}).catch(() => ({}))
      return Object.keys(told).length > 0 ? [[name, told] as const] : []
    })
    return Object.fromEntries((await Promise.all(reads)).flat())
  }

  async #checkConditions(): Promise<void> {
    const checks = [...this.#pending].map(async ([name, check]) => {
      if (await holds(check).catch(() => false)) this.#pending.delete(name)
    })
    await Promise.all(checks)
  }

  /** Updates the metrics of the dependencies, too. */
  async checkDependencies(): Promise<Record<string, 'up' | 'down'>> {
    const faults: Record<string, string> = {}
    const checks = [...this.#dependencies].map(async ([name, check]) => {
      const isUp = await holds(check).catch((error: { fault?: unknown } | undefined) => {
        if (typeof error?.fault === 'string') faults[name] = error.fault
        return false
      })
      this.#metrics.setDependency(name, isUp)
      return [name, isUp ? 'up' : 'down'] as const
    })
    const dependencies = Object.fromEntries(await Promise.all(checks))
    this.#faults = faults
    return dependencies
  }
}

/** A check that takes too long counts as failed. */
async function holds(check: Check): Promise<boolean> {
  return await inTime(async () => await check(), false)
}

async function inTime<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  return await Promise.race([
    withWaitBudget(new WaitBudget(CHECK_MS), work),
    delay(CHECK_MS, otherwise, { ref: false }),
  ])
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text)
}
