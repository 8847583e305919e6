import { setTimeout as delay } from 'node:timers/promises'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, it } from 'vitest'

const program = new URL('./processes/two-services.ts', import.meta.url)
/** Longer than any test. */
const FOREVER_MS = 3_600_000

async function start(env: Record<string, string>) {
  const shared = spawnProgram(program, {
    HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    GREETING: 'hello',
    BACK_PORT: '0',
    ...env,
  })
  const [url] = await Promise.all([shared.url(), shared.line('started')])
  return { ...shared, block: (ms: number) => fetch(`${url}/block-${ms}`).catch(() => null) }
}

describe.concurrent('a process of several services that a computation blocks', () => {
  it('logs and counts the time, and continues', async ({ expect }) => {
    await using shared = await start({})
    expect((await shared.block(4500))?.status).toBe(200)
    expect(await shared.line('a computation blocks the event loop')).toMatchObject({ level: 'error', service: 'both' })
    const { seconds } = await shared.line('a computation blocked the event loop')
    expect(seconds).toBeGreaterThanOrEqual(3)
    const counted = /^tideport_event_loop_blocked_seconds_total\{service="both"\} (\d+)$/m
    expect(Number(counted.exec(await shared.metrics())?.[1])).toBeGreaterThanOrEqual(seconds as number)
  })

  it('is killed after BLOCKED_EXIT_SECONDS', async ({ expect }) => {
    await using shared = await start({ BLOCKED_EXIT_SECONDS: '3' })
    void shared.block(FOREVER_MS)
    expect(await shared.ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(shared.lines().at(-1)).toMatchObject({ level: 'fatal', msg: expect.stringContaining('killing the process') })
  })

  it('is not killed while it is suspended', async () => {
    await using shared = await start({ BLOCKED_EXIT_SECONDS: '3' })
    shared.signal('SIGSTOP')
    await delay(5000) // only time can pass for a suspended process
    shared.signal('SIGCONT')
    await waitFor(async () => (await shared.block(0))?.status === 200, { what: 'a response' })
  })

  it('is not killed while a debugger is open', async ({ expect }) => {
    await using shared = await start({ BLOCKED_EXIT_SECONDS: '3', NODE_OPTIONS: '--inspect=127.0.0.1:0' })
    expect((await shared.block(5000))?.status).toBe(200)
    expect((await shared.block(0))?.status).toBe(200)
  })
})
