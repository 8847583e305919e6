import { isPortTaken } from '../ports/on-a-port.ts'
import type { PlannedProcess } from './plan-processes.ts'

const attempts = 5

/** Plans again when a port was taken before the start. A port that was given by number fails in the plan. */
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
