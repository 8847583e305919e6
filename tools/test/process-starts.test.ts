import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isFullRun } from '@tideport/testing/full-run'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const services = readdirSync(join(root, 'services'))

/** Each module costs half a millisecond of CPU at each start. */
const modulesMax: Record<string, number> = {
  gateway: 575,
  auth: 890,
  files: 1264,
  sync: 860,
  eviction: 930,
  webhooks: 1050,
  serve: 1500,
}

/** Modules that are loaded on first use or only in part (see credentials.ts, pool.ts, node-http.ts, and tracing.ts). */
const unneeded = [
  /\/node_modules\/@(?:aws-sdk|smithy)\//,
  /\/node_modules\/@opentelemetry\/sdk/,
  /\/node_modules\/jose\/dist\/webapi\/index\.js$/,
  /^NativeModule internal\/deps\/undici\/undici$/,
]
/** Except with webhooks, which sends all requests with undici's agent. */
const fetching = /\/node_modules\/undici\/lib\/(?:web|mock|interceptor)\//

/** Prints the loaded modules when the process exits. */
const tell = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  process.on('exit', () => process.stdout.write(JSON.stringify([...loaded, ...process.moduleLoadList])))
`)}`

/** All modules that a service loads before it fails on missing settings. */
async function loadedBy(service: string): Promise<string[]> {
  const program = join(root, 'services', service, 'src/main.ts')
  const { NODE_COMPILE_CACHE = '', PATH = '' } = process.env
  const options = { env: { NODE_COMPILE_CACHE, PATH }, maxBuffer: 16 * 1024 ** 2 }
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--import', tell, program], options, (_error, stdout) => resolve(JSON.parse(stdout)))
  })
}

/** `serve` loads the modules of every service. */
const tested = isFullRun ? services : ['gateway', 'serve']

it.each(tested)('%s loads only the necessary modules at its start', async (service) => {
  const loaded = await loadedBy(service)
  const refused = ['webhooks', 'serve'].includes(service) ? unneeded : [...unneeded, fetching]
  expect(loaded.filter((name) => refused.some((one) => one.test(name)))).toEqual([])
  const modules = loaded.filter((name) => name.startsWith('file:'))
  expect(modules.some((url) => url.endsWith('/service-kit/src/process/run.ts'))).toBe(true)
  expect(modules.length).toBeLessThanOrEqual(modulesMax[service] ?? 0)
})
