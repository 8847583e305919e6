import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const services = readdirSync(join(root, 'services'))

/** A module costs half a millisecond of processor time at each start, and a run of the tests starts hundreds. */
const modulesMax: Record<string, number> = {
  gateway: 565,
  auth: 890,
  files: 1264,
  sync: 860,
  eviction: 930,
  webhooks: 1050,
}

/** Loaded where it is first needed, or only in part (credentials.ts, pool.ts, node-http.ts and tracing.ts say how). */
const unneeded = [
  /\/node_modules\/@(?:aws-sdk|smithy)\//,
  /\/node_modules\/@opentelemetry\/sdk/,
  /\/node_modules\/jose\/dist\/webapi\/index\.js$/,
  /^NativeModule internal\/deps\/undici\/undici$/,
]
/** Except by webhooks, whose only way out is undici's own agent. */
const fetching = /\/node_modules\/undici\/lib\/(?:web|mock|interceptor)\//

/** Tells which modules were loaded, when the process ends. */
const tell = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  process.on('exit', () => process.stdout.write(JSON.stringify([...loaded, ...process.moduleLoadList])))
`)}`

/** All that a service loads before it reads its settings, of which it is given none. */
async function loadedBy(service: string): Promise<string[]> {
  const program = join(root, 'services', service, 'src/main.ts')
  const { NODE_COMPILE_CACHE = '', PATH = '' } = process.env
  const options = { env: { NODE_COMPILE_CACHE, PATH }, maxBuffer: 16 * 1024 ** 2 }
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--import', tell, program], options, (_error, stdout) => resolve(JSON.parse(stdout)))
  })
}

it.each(services)('%s loads what it needs at its start, and no more', async (service) => {
  const loaded = await loadedBy(service)
  const refused = service === 'webhooks' ? unneeded : [...unneeded, fetching]
  expect(loaded.filter((name) => refused.some((one) => one.test(name)))).toEqual([])
  const modules = loaded.filter((name) => name.startsWith('file:'))
  expect(modules.some((url) => url.endsWith('/service-kit/src/process/run.ts'))).toBe(true)
  expect(modules.length).toBeLessThanOrEqual(modulesMax[service] ?? 0)
})
