import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { Pool } from 'undici'
import { compare, print, type Variant } from '../measure.ts'
import { openAccount } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import { withCpu } from '../system/cpu-per-file.ts'
import type { BenchOptions } from '../system/options.ts'
import { startSystem } from '../system/start-system.ts'

const ROUNDS = 3
const DELIVERIES = 1000
/** The number of deliveries that one webhooks process has in flight. */
const IN_FLIGHT = 128
const bytes = Buffer.alloc(1024, 7)
/** As large as a delivery of `file.hot`. */
const body = JSON.stringify({ event: 'file.hot', data: 'x'.repeat(350) })

const settings = { OPEN_UPLOADS_MAX: '10000000', HOT_RETENTION_SECONDS: '86400' }

/** Deliveries of waiting events to one and to twenty receivers, compared with a loop that signs and sends as many. */
export async function benchWebhooks({ profileDir }: BenchOptions): Promise<void> {
  for (const receivers of [1, 20]) {
    await using stack = new AsyncDisposableStack()
    const system = stack.use(await startSystem({ profileDir, env: settings }))
    const receiver = stack.use(await startReceiver())
    const account = stack.use(await openAccount(system.gatewayUrl, 'bench'))
    const urls = Array.from({ length: receivers }, (_, index) => `http://127.0.0.1:${receiver.port}/${index}`)
    for (const url of urls) await account.call('POST', '/api/webhooks', { url, events: ['file.hot'] })
    system.pause()
    const pool = new Pool(`http://127.0.0.1:${receiver.port}`, { connections: IN_FLIGHT })
    stack.adopt(pool, (open) => open.close())
    const load = { count: DELIVERIES, inFlight: IN_FLIGHT }
    const send = async (index: number) => {
      const signature = createHmac('sha256', 'bench').update(`${index}.${body}`).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'webhook-id': String(index),
        'webhook-signature': signature,
      }
      const sent = await pool.request({ path: `/${index % receivers}`, method: 'POST', headers, body })
      await sent.body.dump()
    }
    const bare: Variant = { name: 'bare loop', run: () => ratePerSecond(load, send) }
    const webhooks = withCpu(system, DELIVERIES, {
      name: `webhooks, to ${receivers} of them`,
      async run() {
        await ratePerSecond({ count: DELIVERIES / receivers, inFlight: 32 }, () => account.upload(bytes))
        const before = receiver.received()
        const startedAt = performance.now()
        system.resume(['webhooks'])
        await receiver.until(before + DELIVERIES)
        const rate = (DELIVERIES / (performance.now() - startedAt)) * 1000
        system.pause(['webhooks'])
        return rate
      },
    })
    const rates = await system.profiled(() => compare([bare, webhooks.variant], ROUNDS))
    print(receivers === 1 ? 'Deliveries to one receiver' : `Deliveries to ${receivers} receivers`, '/s', rates)
    webhooks.tell()
  }
}

async function startReceiver() {
  const port = await freePort()
  const child = fork(fileURLToPath(new URL('receiver-main.ts', import.meta.url)), [String(port)])
  const exited = once(child, 'exit')
  let received = 0
  child.on('message', (count) => {
    received = Number(count)
  })
  await once(child, 'message')
  return {
    port,
    received: () => received,
    async until(count: number): Promise<void> {
      while (received < count) await once(child, 'message')
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exited
    },
  }
}
