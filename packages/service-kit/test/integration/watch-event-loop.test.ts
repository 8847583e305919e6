import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, it } from 'vitest'

const program = new URL('./processes/two-services.ts', import.meta.url)
const LONGER_THAN_LIMIT_MS = 5000

async function start(env: Record<string, string>) {
  const stack = new AsyncDisposableStack()
  const { path } = stack.use(await createTemporaryDirectory('blocked'))
  const settings = { HOST: '127.0.0.1', ADMIN_PORT: '0', GREETING: 'hello', BACK_PORT: '0', ...env }
  const shared = stack.use(spawnProgram(program, settings))
  const [url] = await Promise.all([shared.url(), shared.line('started')])
  const end = join(path, 'end')
  return {
    ...shared,
    greet: () => fetch(url).then(({ status }) => status),
    /** Blocks the process until `unblock`. */
    block: () => fetch(`${url}/block${end}`).then(({ status }) => status),
    unblock: () => writeFile(end, ''),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe.concurrent('a process of several services that a computation blocks', () => {
  it('logs and counts the time, and continues', async ({ expect }) => {
    await using shared = await start({})
    const blocked = shared.block()
    expect(await shared.line('a computation blocks the event loop')).toMatchObject({ level: 'error', service: 'both' })
    await shared.unblock()
    expect(await blocked).toBe(200)
    const { seconds } = await shared.line('a computation blocked the event loop')
    expect(seconds).toBeGreaterThanOrEqual(2)
    const counted = /^tideport_event_loop_blocked_seconds_total\{service="both"\} (\d+)$/m
    expect(Number(counted.exec(await shared.metrics())?.[1])).toBeGreaterThanOrEqual(seconds as number)
  })

  it('is killed after BLOCKED_EXIT_SECONDS', async ({ expect }) => {
    await using shared = await start({ BLOCKED_EXIT_SECONDS: '3' })
    shared.block().catch(() => {})
    expect(await shared.ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(shared.lines().at(-1)).toMatchObject({ level: 'fatal', msg: expect.stringContaining('killing the process') })
  })

  it('is not killed while it is suspended', async () => {
    await using shared = await start({ BLOCKED_EXIT_SECONDS: '3' })
    shared.signal('SIGSTOP')
    await delay(LONGER_THAN_LIMIT_MS)
    shared.signal('SIGCONT')
    await waitFor(async () => (await shared.greet().catch(() => 0)) === 200, { what: 'a response' })
  })

  it('is not killed while a debugger is open', async ({ expect }) => {
    await using shared = await start({ BLOCKED_EXIT_SECONDS: '3', NODE_OPTIONS: '--inspect=127.0.0.1:0' })
    const blocked = shared.block()
    await delay(LONGER_THAN_LIMIT_MS)
    await shared.unblock()
    expect(await blocked).toBe(200)
  })
})
