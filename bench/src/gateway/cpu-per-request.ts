import type { Variant } from '../measure.ts'
import { cpuTime } from './cpu-time.ts'
import type { Launched } from './launch.ts'
import { type Load, sendRequests } from './send-requests.ts'

const LOAD = { count: 10_000, connections: 50 }

/** What a request costs that process; µs of CPU. */
export function cpuPerRequest(name: string, { pid, url }: Launched, load: Load): Variant {
  const run = async () => {
    const before = await cpuTime(pid)
    await sendRequests(url, [load], LOAD)
    return ((await cpuTime(pid)) - before) / LOAD.count
  }
  return { name, run }
}
