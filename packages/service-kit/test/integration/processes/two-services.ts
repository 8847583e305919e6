import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { portSetting, processSettings } from '../../../src/config/process-settings.ts'
import { run } from '../../../src/process/run.ts'
import { defineService } from '../../../src/process/service.ts'

const settings = z.object({ ...processSettings, PORT: portSetting(0), GREETING: z.string() })

/** Two services in one process, of which `front` calls `back`. */
const front = defineService({
  name: 'front',
  calls: ['back'],
  settings: settings.extend({ BACK_URL: z.string() }),
  async start({ config, log, direct, stack, metrics }) {
    metrics.counter({ name: 'tideport_greetings_total', help: 'Greetings' }).inc(2)
    stack.defer(() => void log.info('front stopped'))
    log.info({ greeting: config.greeting, isDirect: direct.serverOf('back') !== null, listens: direct.listens }, 'set')
  },
})

const back = defineService({
  name: 'back',
  settings,
  async start({ config, log, direct, health, stack, signal, metrics }) {
    metrics.counter({ name: 'tideport_greetings_total', help: 'Greetings' }).inc(3)
    if (config.greeting === 'fails') throw new Error('no luck')
    let isMigrated = false
    health.readyWhen('migrated', () => isMigrated)
    const server = createServer(({ url = '' }, response) => {
      isMigrated = true
      if (url === '/throw') setImmediate(() => JSON.parse('no JSON'))
      if (url.startsWith('/block')) blockUntilExists(url.slice('/block'.length))
      response.end(config.greeting)
    })
    direct.offer?.(server)
    stack.defer(() => void server.close())
    stack.defer(() => void log.info({ isAborted: signal.aborted }, 'back stopped'))
    if (direct.listens) await new Promise<void>((resolve) => server.listen(config.port, config.host, resolve))
    const port = direct.listens ? (server.address() as AddressInfo).port : 0
    log.info({ greeting: config.greeting, address: `http://${config.host}:${port}` }, 'listening')
  },
})

function blockUntilExists(file: string): void {
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(file)) Atomics.wait(never, 0, 0, 50)
}

await run(process.argv.includes('back') ? [back] : [front, back], process.env, 'both')
