import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'

const program = new URL('./processes/two-services.ts', import.meta.url)
const spawnShared = (env: Record<string, string>, args: readonly string[] = []) =>
  spawnProgram(program, { HOST: '127.0.0.1', ADMIN_PORT: '0', ...env }, args)

describe('run with several services', () => {
  it('gives each service its own settings, and connects those that call each other', async () => {
    await using shared = spawnShared({ GREETING: 'for all', BACK_GREETING: 'for back', PORT: '1' })
    expect(await shared.line('set')).toMatchObject({ service: 'front', greeting: 'for all', isDirect: true, listens: true }) // biome-ignore format: one line
    expect(await shared.line('listening')).toMatchObject({ service: 'back', greeting: 'for back' })
    expect(await shared.url()).toBe('http://127.0.0.1:0')
  })

  it('is ready when all services are, and shows the metrics and the readiness of each', async () => {
    await using shared = spawnShared({ GREETING: 'hello', BACK_PORT: '0' })
    const adminUrl = await shared.adminUrl()
    await shared.line('started')
    const before = await fetch(`${adminUrl}/ready`)
    expect(before.status).toBe(503)
    expect(await before.json()).toEqual({
      status: 'starting',
      services: {
        front: { status: 'starting', waitingFor: ['back'], dependencies: {} },
        back: { status: 'starting', waitingFor: ['migrated'], dependencies: {} },
      },
    })
    // With a port of its own, the service also serves other processes.
    expect(await (await fetch(await shared.url())).text()).toBe('hello')
    const after = await fetch(`${adminUrl}/ready`)
    expect([after.status, await after.json()]).toMatchObject([200, { status: 'ready' }])

    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(metrics).toContain('tideport_greetings_total{service="front"} 2\ntideport_greetings_total{service="back"} 3')
    expect(metrics).toMatch(/^process_cpu_seconds_total\{service="both"\} /m)
    const types = metrics.split('\n').filter((line) => line.startsWith('# TYPE'))
    expect(new Set(types).size).toBe(types.length)
  })

  it('prints the faults of all services, and rejects misspelled prefixed names with --check', async () => {
    await using wrong = spawnShared({ LOG_LEVEL: 'loud' })
    expect(await wrong.ended).toMatchObject({ code: 1 })
    expect(wrong.output.stderr).toMatch(/^both: the configuration is not valid\n/)
    for (const name of ['LOG_LEVEL', 'GREETING']) expect(wrong.output.stderr.split(`\n${name}: `)).toHaveLength(2)
    await using misspelled = spawnShared({ GREETING: 'a', BACK_GREETNG: 'b' }, ['--check'])
    expect(await misspelled.ended).toMatchObject({ code: 1 })
    expect(misspelled.output.stderr).toContain('\nBACK_GREETNG: unknown setting. Did you mean BACK_GREETING?\n')
    await using ineffective = spawnShared({ GREETING: 'a', BACK_LOG_LEVEL: 'debug', BACK_HOST: '::1' }, ['--check'])
    expect(await ineffective.ended).toMatchObject({ code: 1 })
    expect(ineffective.output.stderr).toMatch(
      /\nBACK_LOG_LEVEL: applies to the complete process. Set LOG_LEVEL instead\n$/,
    )
  })

  it('reads prefixed settings also if one service is chosen', async () => {
    await using alone = spawnShared({ BACK_GREETING: 'for back', PORT: '0' }, ['back'])
    expect(await alone.line('listening')).toMatchObject({ greeting: 'for back' })
  })

  it('exits with 1 if one service cannot start, or throws later, and logs which one', async () => {
    await using shared = spawnShared({ GREETING: 'hello', BACK_GREETING: 'fails' })
    expect(await shared.line('could not start')).toMatchObject({ level: 'fatal', service: 'back' })
    expect(await shared.ended).toEqual({ code: 1, signal: null })
    await using later = spawnShared({ GREETING: 'hello', BACK_PORT: '0' })
    await later.line('started')
    void fetch(`${await later.url()}/throw`).catch(() => undefined)
    expect(await later.line('uncaught error')).toMatchObject({ level: 'fatal', of: 'back' })
    expect(await later.ended).toEqual({ code: 1, signal: null })
  })

  it('stops a service after the services that call it', async () => {
    await using shared = spawnShared({ GREETING: 'hello' })
    await shared.line('started')
    void shared.kill('SIGTERM')
    expect(await shared.ended).toEqual({ code: 0, signal: null })
    await waitFor(() => shared.lines().some(({ msg }) => msg === 'stopped'))
    const messages = shared.lines().map(({ msg }) => msg)
    expect(messages.slice(messages.indexOf('stopping'))).toEqual([
      'stopping',
      'front stopped',
      'back stopped',
      'stopped',
    ])
    expect(await shared.line('back stopped')).toMatchObject({ isAborted: true })
  })
})
