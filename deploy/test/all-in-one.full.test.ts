import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, docker, mustDocker, noDocker, root } from './support/docker.ts'

const run = promisify(execFile)
const image = 'tideport-test/all-in-one'
const name = `tideport-test-all-in-one-${process.pid}`
const volume = `${name}-data`
const restricted = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
/** Short times, to see a file become cold. */
const quick = {
  ...{ HOT_RETENTION_SECONDS: 2, DOWNLOAD_URL_SECONDS: 5, CLOCK_SKEW_SECONDS: 1 },
  ...{ SETTLE_SECONDS: 2, DISPATCH_INTERVAL_SECONDS: 1 },
}
let port = ''
let key = ''

async function start(settings: Record<string, string | number> = quick): Promise<void> {
  const env = Object.entries(settings).flatMap(([setting, value]) => ['--env', `${setting}=${value}`])
  port ||= String(20_000 + Math.floor(Math.random() * 5_000))
  const address = ['--publish', `127.0.0.1:${port}:8080`, '--env', `PUBLIC_URL=http://localhost:${port}`]
  const options = ['--detach', '--name', name, '--volume', `${volume}:/data`, ...restricted, ...address, ...env]
  await mustDocker(['run', ...options, image, 'start', '--key-file', '/data/first-key'])
  await until(async () => (await health()) === 'healthy')
  key ||= await mustDocker(['exec', name, 'cat', '/data/first-key'])
}

const health = () => mustDocker(['inspect', '--format', '{{.State.Health.Status}}', name])

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await delay(200)
}

async function vaults(init: RequestInit = {}): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`http://localhost:${port}/api/vaults`, { headers, ...init })
  return { status: response.status, text: await response.text() }
}

async function create(vault: string): Promise<boolean> {
  const body = JSON.stringify({ name: vault, visibility: 'public' })
  return (await vaults({ method: 'POST', body })).status === 201
}

describe.skipIf(noDocker)('one container', () => {
  beforeAll(() => build('all-in-one', image))
  afterAll(async () => {
    await docker(['rm', '--force', name])
    await docker(['volume', 'rm', '--force', volume])
  })

  it('becomes healthy with restricted rights, and takes a file through its life by its only port', async () => {
    await start()
    const env = { GATEWAY_URL: `http://localhost:${port}`, TIDEPORT_API_KEY: key }
    const { stdout } = await run(process.execPath, [join(root, 'deploy/image/smoke.ts')], { env })
    expect(stdout).toContain('all checks passed')
  })

  it('stops within the ten seconds of docker stop, and keeps its data on the volume', async () => {
    expect(await create('Before')).toBe(true)
    const before = Date.now()
    await mustDocker(['stop', name])
    expect(Date.now() - before).toBeLessThan(10_000)
    expect(await mustDocker(['inspect', '--format', '{{.State.ExitCode}}', name])).toBe('0')
    await docker(['rm', '--force', name])
    await start()
    expect((await vaults()).text).toContain('Before')
  })

  it('survives kill -9 of the container, and of each server in it', async () => {
    await mustDocker(['kill', name])
    await mustDocker(['start', name])
    await until(async () => (await health()) === 'healthy')
    expect((await vaults()).text).toContain('Before')
    for (const server of ['postgres', 'nats', 's3']) {
      const kill = `kill -9 $(sed -E 's/.*"child":.{0,2}"pid":([0-9]+).*/\\1/' /data/${server}/process.json)`
      await mustDocker(['exec', name, 'bash', '-c', kill])
      // The name differs, because a vault may exist although the response was lost.
      await until(() => create(`After ${server} ${Date.now()}`))
    }
    await until(async () => (await health()) === 'healthy')
  })

  it('refuses misspelled settings with a sentence', async () => {
    const { code, stderr } = await docker(['run', '--rm', '--env', 'HOT_RETENTION_SECOND=5', image])
    expect([code, stderr]).toEqual([
      1,
      'tideport: HOT_RETENTION_SECOND: unknown setting. Did you mean HOT_RETENTION_SECONDS?\n',
    ])
  })
})
