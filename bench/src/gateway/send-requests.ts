import { Pool } from 'undici'
import { timed } from '../measure.ts'

export interface Load {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/**
 * Sends so many requests, so many at a time, each on a connection of its own that is kept; of several loads one after
 * the other. Rejects unless all get 200.
 */
export async function sendRequests(
  url: string,
  loads: readonly [Load, ...Load[]],
  { count, connections }: { count: number; connections: number },
) {
  await using stack = new AsyncDisposableStack()
  const pool = openPool(stack, url, connections)
  let left = count
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await sendOne(pool, loads[left % loads.length] ?? loads[0])
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

/** Milliseconds of each of so many requests, one after the other. */
export async function timeRequests(url: string, load: Load, count: number): Promise<number[]> {
  await using stack = new AsyncDisposableStack()
  const pool = openPool(stack, url, 1)
  const times: number[] = []
  for (let index = 0; index < count; index += 1) times.push(await timed(() => sendOne(pool, load)))
  return times
}

function openPool(stack: AsyncDisposableStack, url: string, connections: number): Pool {
  return stack.adopt(new Pool(url, { connections, pipelining: 1 }), (pool) => pool.close())
}

async function sendOne(pool: Pool, load: Load): Promise<void> {
  const { statusCode, body } = await pool.request(load)
  await body.dump()
  if (statusCode !== 200) throw new Error(`${load.method} ${load.path} was answered ${statusCode}`)
}
