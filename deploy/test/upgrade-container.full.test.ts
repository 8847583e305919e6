import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build, docker, mustDocker, noDocker, root } from './support/docker.ts'

const name = `tideport-test-upgrade-${process.pid}`
const image = (version: string) => `${name}:${version}`
const base = 'tideport-test/all-in-one'

/** The version `broken` never becomes healthy. */
const dockerfileOf = (version: string) => `FROM ${base}
LABEL version=${version}
${version === 'broken' ? 'HEALTHCHECK --interval=1s --retries=2 CMD false' : ''}
`

describe.skipIf(noDocker)('upgrade-container.sh', () => {
  const versions = ['old', 'new', 'broken']
  beforeAll(async () => {
    await build('all-in-one', base)
    for (const version of versions) {
      const built = spawnSync('docker', ['build', '--quiet', '--tag', image(version), '-'], {
        input: dockerfileOf(version),
      })
      expect(built.status).toBe(0)
    }
  })
  afterAll(async () => {
    await docker(['rm', '--force', name, `${name}-next`, `${name}-previous`])
    await docker(['volume', 'rm', '--force', name])
    await docker(['rmi', '--force', ...versions.map(image)])
  })

  const port = String(25_000 + Math.floor(Math.random() * 5_000))
  const options = ['--volume', `${name}:/data`, '--publish', `127.0.0.1:${port}:8080`, '--restart', 'unless-stopped']
  const argsOf = (version: string, more = ['--without-backup'], settings: string[] = []) =>
    [join(root, 'deploy/image/upgrade-container.sh'), ...more, name, ...options, ...settings, image(version)] // biome-ignore format: one command
  const upgrade = (...args: Parameters<typeof argsOf>) => {
    const { status, stdout, stderr } = spawnSync('sh', argsOf(...args), { encoding: 'utf8' })
    return { status, printed: stdout + stderr }
  }
  const running = async () => await mustDocker(['inspect', '--format', '{{.Config.Image}} {{.State.Status}}', name])
  const vaults = async (init: RequestInit = {}) => {
    const authorization = `Bearer ${await mustDocker(['exec', name, 'cat', '/data/first-key'])}`
    const headers = { authorization, 'content-type': 'application/json' }
    return await (await fetch(`http://127.0.0.1:${port}/api/vaults`, { headers, ...init })).text()
  }
  const expectVersion = async (version: string) => {
    expect(await running()).toBe(`${image(version)} running`)
    expect(await vaults()).toContain('Kept')
  }

  it('is in the image', async () => {
    const script = await mustDocker(['run', '--rm', '--entrypoint', 'cat', base, 'deploy/image/upgrade-container.sh'])
    expect(script).toBe(readFileSync(join(root, 'deploy/image/upgrade-container.sh'), 'utf8').trim())
  })

  it('replaces the container, returns to the previous one on failure, and continues after a kill', async () => {
    await mustDocker(['run', '--detach', '--name', name, ...options, image('old'), 'start', '--key-file', '/data/first-key']) // biome-ignore format: one command
    await waitFor(async () => (await docker(['exec', name, 'health'])).code === 0)
    await vaults({ method: 'POST', body: JSON.stringify({ name: 'Kept', visibility: 'public' }) })
    const folder = mkdtempSync(join(tmpdir(), 'tideport-upgrade-'))
    expect(upgrade('new', ['--to', folder])).toMatchObject({ status: 0 })
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^tideport-\d{8}T\d{6}Z\.tar$/)])
    rmSync(folder, { recursive: true })
    await expectVersion('new')

    const startedAt = () => mustDocker(['inspect', '--format', '{{.State.StartedAt}}', name])
    const before = await startedAt()
    const refused = upgrade('old', ['--without-backup'], ['--env', 'RATE_LIMIT_BURST=-1'])
    expect(refused).toMatchObject({ status: 1, printed: expect.stringContaining('RATE_LIMIT_BURST: Too small') })
    expect(await startedAt()).toBe(before)

    expect(upgrade('broken')).toMatchObject({ status: 1, printed: expect.stringContaining('runs as before') })
    await expectVersion('new')

    for (const step of ['Stopping', 'Starting']) {
      const child = spawn('sh', argsOf('old'), { detached: true })
      const ended = once(child, 'exit')
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
      await waitFor(() => printed.includes(step))
      process.kill(-(child.pid as number), 'SIGKILL')
      await ended
      expect(upgrade('new')).toMatchObject({ status: 0 })
      await expectVersion('new')
    }
  })
})
