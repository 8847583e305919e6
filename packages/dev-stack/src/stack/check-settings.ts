import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { dataLayout } from '../data-directory/data-layout.ts'
import { makeSecrets } from '../data-directory/secrets.ts'
import { coldTierOf, givenColdTier } from '../services/cold-tier.ts'
import { planProcesses } from '../services/plan-processes.ts'
import { processEnvironment } from '../services/service-environment.ts'
import { type OwnServers, serverAddresses } from './server-addresses.ts'
import { resolveOptions, type StackOptions } from './stack-options.ts'
import { wiringOf } from './wiring.ts'

/** Stand-ins for addresses that are known only after a start. */
const examples: OwnServers = {
  postgres: { current: () => ({ url: 'postgres://postgres@127.0.0.1:5432/postgres' }) },
  nats: { current: () => ({ url: 'nats://127.0.0.1:4222' }) },
  s3: { current: () => ({ endpoint: 'http://127.0.0.1:9000', region: 'us-east-1' }) },
}

/** Prints the faults in the settings of all services. Reads and writes no data. Returns the exit code: 1 for a fault. */
export async function checkSettings(stackOptions: StackOptions): Promise<number> {
  const options = resolveOptions(stackOptions)
  const { dataDir, networks, production, host, servicesDir, checkout: cwd } = options
  const layout = dataLayout(dataDir)
  const secrets = makeSecrets()
  const coldTier = givenColdTier(host, layout, production) ?? coldTierOf(networks, layout)
  const wiring = wiringOf(options, serverAddresses(examples, options, secrets), coldTier, secrets)
  const services = await planProcesses({ port: 0, s3Port: 0 }, { ...options, host: production?.host })
  // The cache is a part of the data.
  const { NODE_COMPILE_CACHE: _, ...env } = processEnvironment(services, { ...wiring, services })
  const { status } = spawnSync(process.execPath, [join(servicesDir, 'serve/src/main.ts'), '--check'], {
    ...{ cwd, env, stdio: 'inherit' },
  })
  return status ?? 1
}
