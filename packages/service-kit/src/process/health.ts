import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { withWaitBudget } from '../context/request-context.ts'
import { WaitBudget } from '../context/wait-budget.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { http } from './node-http.ts'

const CHECK_MS = 1000

type Check = () => boolean | Promise<boolean>

interface HealthOptions {
  metrics: Metrics
  host: string
  port: number
}

/** Serves `/live`, `/ready`, and `/metrics` on the admin port. Rejects if the port is in use. */
export async function serveHealth({ metrics, host, port }: HealthOptions) {
  const state = new Health(metrics)
  const server = http.createServer((request, response) => {
    void state.answer(request.url?.split('?')[0] ?? '', response).catch(() => response.destroy())
  })
  server.listen(port, host)
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

/** A process is ready if it has started, has met every condition once, and is not draining. */
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

  /** Sends the response of the admin port. The gateway also serves `/ready` on its public port. */
  async answer(path: string, response: ServerResponse): Promise<void> {
    if (path === '/live') return send(response, 200, 'application/json', '{"status":"live"}')
    if (path === '/ready') return await this.#answerReady(response)
    if (path !== '/metrics') return send(response, 404, 'application/json', '{"status":"not found"}')
    await this.#checkDependencies()
    const { contentType, text } = await this.#metrics.render()
    send(response, 200, contentType, text)
  }

  async #answerReady(response: ServerResponse): Promise<void> {
    const [dependencies, told] = await Promise.all([
      this.#checkDependencies(),
      this.#readTold(),
      this.#checkConditions(),
    ])
    const waitingFor = [...(this.#isStarted ? [] : ['start']), ...this.#pending.keys()]
    const isReady = waitingFor.length === 0 && !this.#isDraining
    const status = this.#isDraining ? 'draining' : isReady ? 'ready' : 'starting'
    const faults = Object.keys(this.#faults).length > 0 ? { faults: this.#faults } : {}
    const body = { status, ...(isReady ? {} : { waitingFor }), dependencies, ...faults, ...told }
    send(response, isReady ? 200 : 503, 'application/json', JSON.stringify(body))
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

  async #checkDependencies(): Promise<Record<string, 'up' | 'down'>> {
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
