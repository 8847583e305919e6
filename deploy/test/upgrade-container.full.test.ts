import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { docker, mustDocker, noDocker, root } from './support/docker.ts'

const name = `tideport-test-upgrade-${process.pid}`
const image = (version: string) => `${name}:${version}`

/** An installation that notes its version in its data. The version `broken` never becomes healthy. */
const dockerfileOf = (version: string) => `FROM busybox
RUN mkdir /data
VOLUME /data
STOPSIGNAL SIGKILL
HEALTHCHECK --interval=1s --retries=2 CMD ${version === 'broken' ? 'false' : 'true'}
CMD ["sh", "-c", "echo ${version} >>/data/versions; exec sleep 100000"]
`

describe.skipIf(noDocker)('upgrade-container.sh', () => {
  const versions = ['old', 'new', 'broken']
  beforeAll(() => {
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

  const options = ['--volume', `${name}:/data`, '--env', 'GREETING=hello world']
  const argsOf = (version: string) => [join(root, 'deploy/image/upgrade-container.sh'), '--without-backup', name, ...options, image(version)] // biome-ignore format: one command
  const upgrade = (version: string, ...backup: string[]) =>
    spawnSync('sh', argsOf(version).flatMap((word) => (word === '--without-backup' && backup.length > 0 ? backup : word)), { encoding: 'utf8' }) // biome-ignore format: one command
  const running = async () => await mustDocker(['inspect', '--format', '{{.Config.Image}} {{.State.Status}}', name])
  const noted = async () => await mustDocker(['exec', name, 'tail', '-n', '1', '/data/versions'])

  it('replaces the container, returns to the previous one on failure, and continues after a kill', async () => {
    await mustDocker(['run', '--detach', '--name', name, ...options, image('old')])
    const folder = mkdtempSync(join(tmpdir(), 'tideport-upgrade-'))
    expect(upgrade('new', '--to', folder)).toMatchObject({ status: 0 })
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^tideport-\d{8}T\d{6}Z\.tar$/)])
    rmSync(folder, { recursive: true })
    expect([await running(), await noted()]).toEqual([`${image('new')} running`, 'new'])

    const { status, stdout } = upgrade('broken')
    expect([status, stdout]).toEqual([1, expect.stringContaining('The installation runs as before')])
    expect([await running(), await noted()]).toEqual([`${image('new')} running`, 'new'])

    for (const step of ['Stopping', 'Starting']) {
      const child = spawn('sh', argsOf('old'), { detached: true })
      const ended = once(child, 'exit')
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
      await waitFor(() => printed.includes(step))
      process.kill(-(child.pid as number), 'SIGKILL')
      await ended
      expect(upgrade('new')).toMatchObject({ status: 0 })
      expect([await running(), await noted()]).toEqual([`${image('new')} running`, 'new'])
    }
    expect(await mustDocker(['exec', name, 'sh', '-c', 'echo "$GREETING"'])).toBe('hello world')
  })
})
