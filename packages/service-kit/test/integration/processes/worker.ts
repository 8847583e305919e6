import { open, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { portSetting, processSettings } from '../../../src/config/process-settings.ts'
import { integer } from '../../../src/config/setting.ts'
import { failpoint } from '../../../src/process/failpoint.ts'
import { run } from '../../../src/process/run.ts'
import { defineService } from '../../../src/process/service.ts'
import { breakUnheard } from './break-unheard.ts'

/** The number of calls that three unresponsive disks may block. */
const HANGING_CALLS = 24

const settings = z.object({
  ...processSettings,
  PORT: portSetting(8080),
  BEHAVIOUR: z
    .enum(['plain', 'fails-to-start', 'breaks-while-starting', 'never-stops', 'passes-failpoints', 'hangs-in-calls'])
    .default('plain'),
  HANGING_FILE: z.string().default(''),
  LIMIT: integer(),
})

/** The process whose start and stop the tests observe. */
const worker = defineService({
  name: 'worker',
  settings,
  async start({ config, log, health, stack, signal }) {
    let isMigrated = false
    health.readyWhen('migrated', () => isMigrated)
    health.dependency('broker', () => Promise.reject(new Error('down')))
    const server = createServer(({ url = '' }, response) => {
      isMigrated = true
      breakUnheard[url.slice(1)]?.()
      response.end()
    })
    stack.defer(() => void log.info({ isAborted: signal.aborted }, 'first in, last out'))
    stack.defer(async () => {
      if (config.behaviour === 'never-stops') await delay(60_000)
      server.close()
      log.info('last in, first out')
    })
    if (config.behaviour === 'fails-to-start') throw new Error('no luck')
    if (config.behaviour === 'breaks-while-starting') {
      breakUnheard.aborted?.()
      await delay(60_000)
    }
    if (config.behaviour === 'passes-failpoints') {
      await failpoint('before-work')
      log.info('passed')
    }
    if (config.behaviour === 'hangs-in-calls') {
      for (let count = 0; count < HANGING_CALLS; count++) open(config.hangingFile).catch(() => undefined)
      await stat('/')
      log.info('others are made')
    }
    await new Promise<void>((resolve) => server.listen(config.port, config.host, resolve))
    const { port } = server.address() as AddressInfo
    log.info({ address: `http://${config.host}:${port}` }, 'listening')
  },
})

await run([worker], process.env)
