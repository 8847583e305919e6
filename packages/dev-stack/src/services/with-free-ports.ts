import { isPortTaken } from '../ports/on-a-port.ts'
import type { PlannedProcess } from './plan-processes.ts'

const attempts = 5

/**
 * Starts what was planned. A port that somebody else took between our look and the start is no failure but a reason to
 * plan anew; a port that was asked for by number fails in the plan.
 */
export async function withFreePorts<T>(
  plan: () => Promise<PlannedProcess[]>,
  start: (processes: PlannedProcess[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const processes = await plan()
    try {
      return await start(processes)
    } catch (error) {
      if (!isPortTaken(error) || attempt === attempts) throw error
    }
  }
}
