import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { spawnWorker } from './spawn-worker.ts'

const outlived = 'uncaught error of one request'

describe('run', () => {
  it('prints all faults of the configuration, and exits with 1', async () => {
    await using worker = spawnWorker({ PORT: 'x', LOG_LEVEL: 'loud' })
    expect(await worker.ended).toMatchObject({ code: 1 })
    expect(worker.output.stdout).toBe('')
    for (const name of ['PORT', 'LOG_LEVEL', 'LIMIT']) expect(worker.output.stderr).toContain(`\n${name}: `)
  })

  it('with --check reports whether the configuration is valid, and starts nothing', async () => {
    await using good = spawnWorker({ LIMIT: '1' }, ['--check'])
    await using wrong = spawnWorker({ LIMIT: 'x' }, ['--check'])
    expect(await good.ended).toEqual({ code: 0, signal: null })
    expect(good.output).toEqual({ stdout: 'worker: the configuration is valid\n', stderr: '' })
    expect(await wrong.ended).toEqual({ code: 1, signal: null })
    expect(wrong.output.stderr).toContain('\nLIMIT: ')
  })

  it('rejects a misspelled name with --check or --check-names, and otherwise only logs a warning', async () => {
    const wrong = { LIMIT: '1', LOG_LEVLE: 'info' }
    await using checked = spawnWorker(wrong, ['--check'])
    await using started = spawnWorker(wrong, ['--check-names'])
    await using worker = spawnWorker(wrong)
    for (const { ended, output } of [checked, started]) {
      expect(await ended).toEqual({ code: 1, signal: null })
      expect(output.stderr).toContain('\nLOG_LEVLE: unknown setting. Did you mean LOG_LEVEL?\n')
    }
    await worker.line('variables with misspelled names are ignored')
  })

  it('is live before it is ready, ready once its conditions are met, and still ready while a dependency is down', async () => {
    await using worker = spawnWorker({ LIMIT: '1' })
    const adminUrl = await worker.adminUrl()
    const url = await worker.url()
    await worker.line('started')
    expect((await fetch(`${adminUrl}/live`)).status).toBe(200)
    const before = await fetch(`${adminUrl}/ready`)
    expect(before.status).toBe(503)
    expect(await before.json()).toMatchObject({ status: 'starting', waitingFor: ['migrated'] })
    await fetch(url)
    const after = await fetch(`${adminUrl}/ready`)
    expect(after.status).toBe(200)
    expect(await after.json()).toEqual({ status: 'ready', dependencies: { broker: 'down' } })
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(metrics).toContain('tideport_dependency_up{dependency="broker",service="worker"} 0')
    expect((await fetch(`${adminUrl}/nowhere`)).status).toBe(404)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s aborts its signal, disposes in reverse order, and exits with 0',
    async (signal) => {
      await using worker = spawnWorker({ LIMIT: '1' })
      await worker.line('started')
      void worker.kill(signal)
      void worker.kill(signal)
      expect(await worker.ended).toEqual({ code: 0, signal: null })
      const messages = worker.lines().map(({ msg }) => msg)
      expect(messages.slice(messages.indexOf('stopping'))).toEqual([
        'stopping',
        'last in, first out',
        'first in, last out',
        'stopped',
      ])
      expect(await worker.line('first in, last out')).toMatchObject({ isAborted: true })
    },
  )

  it('first becomes unready when it stops, and exits with 1 when stopping takes too long', async () => {
    await using worker = spawnWorker({ LIMIT: '1', BEHAVIOUR: 'never-stops', SHUTDOWN_SECONDS: '2' })
    const adminUrl = await worker.adminUrl()
    await worker.line('started')
    void worker.stop()
    await worker.line('stopping')
    await waitFor(async () => {
      const ready = await fetch(`${adminUrl}/ready`)
      return ready.status === 503 && ((await ready.json()) as { status: string }).status === 'draining'
    })
    expect(await worker.ended).toEqual({ code: 1, signal: null })
    expect(await worker.line('stop took too long')).toMatchObject({ level: 'fatal' })
  })

  it('has free threads while system calls are blocked, and exits when it is stopped', async () => {
    await using directory = await createTemporaryDirectory('hanging-calls')
    const hangingFile = join(directory.path, 'fifo')
    await promisify(execFile)('mkfifo', [hangingFile])
    await using worker = spawnWorker({ LIMIT: '1', BEHAVIOUR: 'hangs-in-calls', HANGING_FILE: hangingFile })
    await worker.line('others are made')
    await worker.line('started')
    void worker.stop()
    expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(worker.lines().map(({ msg }) => msg)).toContain('stopped')
    expect(await worker.line('system calls are blocked, killing the process')).toMatchObject({ level: 'fatal' })
  })

  it('survives and counts uncaught errors of a single request, and exits with 1 on any other error', async () => {
    await using worker = spawnWorker({ LIMIT: '1' })
    const url = await worker.url()
    await worker.line('started')
    for (const kind of ['aborted', 'stream', 'connection', 'answer']) {
      await fetch(`${url}/${kind}`)
      await waitFor(() => worker.lines().some(({ msg, ...line }) => msg === outlived && line.kind === kind))
      expect(await worker.metrics()).toContain(`tideport_uncaught_errors_total{kind="${kind}",service="worker"} 1`)
    }
    expect(worker.lines().find(({ msg }) => msg === outlived)).toMatchObject({
      level: 'error',
      err: { type: 'AbortError', stack: expect.stringContaining('break-unheard.ts') },
    })
    await fetch(`${url}/nothingOfAll`).catch(() => undefined)
    expect(await worker.ended).toEqual({ code: 1, signal: null })
    expect(await worker.line('uncaught error')).toMatchObject({ level: 'fatal', err: { type: 'TypeError' } })
  })

  it.each([
    [
      'an uncaught error before it has started, because no request can be the cause',
      'breaks-while-starting',
      'uncaught error',
      'AbortError',
    ],
    ['a failure to start, which it logs', 'fails-to-start', 'could not start', 'Error'],
  ])('exits with 1 on %s', async (_, BEHAVIOUR, msg, type) => {
    await using worker = spawnWorker({ LIMIT: '1', BEHAVIOUR })
    expect(await worker.ended).toEqual({ code: 1, signal: null })
    expect(await worker.line(msg)).toMatchObject({ level: 'fatal', err: { type } })
  })
})
