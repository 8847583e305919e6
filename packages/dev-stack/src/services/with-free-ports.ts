import { isPortTaken } from '../ports/on-a-port.ts'
import type { PlannedService } from './plan-processes.ts'

const attempts = 5

/** Plans again if another process takes a port before the start. For a fixed port that is taken, `plan` throws. */
export async function withFreePorts<T>(
  plan: () => Promise<PlannedService[]>,
  start: (services: PlannedService[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const services = await plan()
    try {
      return await start(services)
    } catch (error) {
      if (!isPortTaken(error) || attempt === attempts) throw error
    }
  }
}
