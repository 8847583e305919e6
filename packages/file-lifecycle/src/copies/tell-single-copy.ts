import type { Health } from '@tideport/service-kit/process/health'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Networks } from './networks.ts'

/** Reports in the log and in `/ready` that cold files have only one copy. */
export function tellSingleCopy(
  { required, get }: Pick<Networks, 'required' | 'get'>,
  { health, log, serviceEnv }: { health: Pick<Health, 'tell'>; log: Log; serviceEnv: string },
): void {
  const [network, ...others] = required
  if (network === undefined || others.length > 0) return
  const told = { network, driver: get(network)?.driver }
  health.tell('singleCopy', async () => told)
  const level = serviceEnv === 'development' ? 'info' : 'warn'
  log[level](told, 'one network is required, so a cold file is one copy: name a second one, or back it up')
}
