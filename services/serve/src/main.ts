import { run } from '@tideport/service-kit/process/run'
import type { Service } from '@tideport/service-kit/process/service'

/** Only the chosen services are loaded. */
const load: Record<string, () => Promise<Service>> = {
  gateway: async () => (await import('@tideport/gateway/src/service.ts')).gateway,
  auth: async () => (await import('@tideport/auth/src/service.ts')).auth,
  files: async () => (await import('@tideport/files/src/service.ts')).files,
  webhooks: async () => (await import('@tideport/webhooks/src/service.ts')).webhooks,
  sync: async () => (await import('@tideport/sync/src/service.ts')).sync,
  eviction: async () => (await import('@tideport/eviction/src/service.ts')).eviction,
}

const names = Object.keys(load)
const chosen = process.env.TIDEPORT_PROCESSES?.trim() || names.join()
const wanted = new Set(chosen.split(',').map((name) => name.trim()))
const unknown = [...wanted].filter((name) => !names.includes(name))
if (unknown.length > 0) {
  const sentence = `unknown service ${unknown.map((name) => `"${name}"`).join(', ')}. Services: ${names.join(', ')}`
  process.stderr.write(`serve: the configuration is not valid\nTIDEPORT_PROCESSES: ${sentence}\n`)
  process.exit(1)
}
const services = await Promise.all(names.filter((name) => wanted.has(name)).map((name) => load[name]?.()))
await run(
  services.filter((service) => service !== undefined),
  process.env,
  'serve',
)
