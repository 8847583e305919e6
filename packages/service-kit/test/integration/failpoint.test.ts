import { createFailpoints } from '@tideport/testing/failpoints'
import { describe, expect, it } from 'vitest'
import { spawnWorker } from './spawn-worker.ts'

const settings = { LIMIT: '1', BEHAVIOUR: 'passes-failpoints', SERVICE_ENV: 'development' }

describe('failpoint', () => {
  it('kills one of several processes that pass it with SIGKILL, once per arming', async () => {
    await using failpoints = await createFailpoints()
    await failpoints.pause('before-work')
    const env = { ...settings, FAILPOINT_DIR: failpoints.directory }
    await using first = spawnWorker(env)
    await using second = spawnWorker(env)
    await Promise.all([first.adminUrl(), second.adminUrl()])
    await failpoints.kill('before-work')
    const [victim, survivor] = await Promise.race([
      first.ended.then(() => [first, second] as const),
      second.ended.then(() => [second, first] as const),
    ])
    expect(await victim.ended).toEqual({ code: null, signal: 'SIGKILL' })
    expect(victim.output.stdout).not.toContain('"passed"')
    await survivor.line('passed')
  })

  it('blocks the process until a pause is released', async () => {
    await using failpoints = await createFailpoints()
    await failpoints.pause('before-work')
    await using worker = spawnWorker({ ...settings, FAILPOINT_DIR: failpoints.directory })
    const adminUrl = await worker.adminUrl()
    expect(await (await fetch(`${adminUrl}/ready`)).json()).toMatchObject({ waitingFor: ['start', 'migrated'] })
    await failpoints.release('before-work')
    await worker.line('passed')
  })

  it('does nothing outside development mode', async () => {
    await using failpoints = await createFailpoints()
    await failpoints.kill('before-work')
    await using worker = spawnWorker({ ...settings, SERVICE_ENV: 'production', FAILPOINT_DIR: failpoints.directory })
    await worker.line('passed')
  })
})
