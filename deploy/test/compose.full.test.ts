import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsOf, guide } from './support/compose-docs.ts'
import { endDeadProjects, projectName } from './support/compose-projects.ts'
import { docker, mustDocker, noDocker, root } from './support/docker.ts'
import { signInAt } from './support/sign-in.ts'

const image = 'tideport-test/compose'
const env = {
  COMPOSE_PROJECT_NAME: projectName,
  COMPOSE_PROGRESS: 'plain',
  TIDEPORT_IMAGE: image,
  TIDEPORT_PULL_POLICY: 'never',
  // Other ports than the defaults, which a real installation may use.
  PORT: String(await freePort()),
  S3_PORT: String(await freePort()),
  HOT_RETENTION_SECONDS: '2',
  DOWNLOAD_URL_SECONDS: '3',
  DISPATCH_INTERVAL_SECONDS: '1',
}
const compose = (...args: string[]) => mustDocker(['compose', ...args], env)
const up = (...args: string[]) => compose('up', '--detach', '--wait', '--no-build', ...args)
const demo = () => compose('run', '--rm', '--no-TTY', 'demo')
const apiKey = () => compose('run', '--rm', '--no-TTY', 'api-key')

/** Calls the gateway from inside its container, because its port may be unreachable from here. */
async function ask(path: string, KEY: string): Promise<{ status: number; text: string }> {
  const program = `const a = await fetch('http://127.0.0.1:8080${path}', { headers: { authorization: 'Bearer ' + process.env.KEY } });
    console.log(JSON.stringify({ status: a.status, text: await a.text() }))`
  const args = ['exec', '--no-TTY', '--env', `KEY=${KEY}`, 'serve', 'node', '--input-type=module', '--eval', program]
  return JSON.parse(await compose(...args))
}

interface Container {
  logging?: { options: Record<string, string> }
  mem_limit?: string
}

it.skipIf(noDocker)('every container has limits for its log and its memory', async () => {
  const { services } = JSON.parse(await compose('--profile', '*', 'config', '--format', 'json'))
  for (const [name, { logging, mem_limit }] of Object.entries<Container>(services)) {
    expect(logging?.options, name).toMatchObject({ 'max-size': '10m', 'max-file': '5' })
    expect(Number(mem_limit), name).toBeGreaterThan(0)
  }
})

it.skipIf(noDocker)('the bucket allows the origin of the console at the URL of clients', async () => {
  const addresses = { PUBLIC_URL: 'https://files.example.org', S3_PUBLIC_ENDPOINT: 'https://objects.example.org' }
  const more = { CORS_ORIGINS: 'https://app.example.org', CONSOLE_CONNECT_ORIGINS: 'https://login.example.org' }
  const environments = async (own: Record<string, string>) => {
    const config = await mustDocker(['compose', 'config', '--format', 'json'], { ...env, ...addresses, ...own })
    const { 'set-up': setUp, serve } = JSON.parse(config).services
    return { bucket: setUp.environment.CORS_ORIGINS, console: serve.environment.CONSOLE_CONNECT_ORIGINS }
  }
  expect(await environments({})).toEqual({ bucket: addresses.PUBLIC_URL, console: addresses.S3_PUBLIC_ENDPOINT })
  expect(await environments(more)).toEqual({
    bucket: `${more.CORS_ORIGINS},${addresses.PUBLIC_URL}`,
    console: `${more.CONSOLE_CONNECT_ORIGINS},${addresses.S3_PUBLIC_ENDPOINT}`,
  })
})

it.skipIf(noDocker)(
  'the services receive all settings in .env, and the set-up rejects those that the file sets',
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'tideport-compose-'))
    copyFileSync(join(root, 'docker-compose.yml'), join(cwd, 'docker-compose.yml'))
    writeFileSync(
      join(cwd, '.env'),
      'PUBLIC_ULR=https://files.example.org\nPORT=8085\nS3_REGION=eu-west-1\nRATE_LIMIT_BURST=9\n',
    )
    const { services } = JSON.parse(await mustDocker(['compose', '--project-directory', cwd, '--file', join(cwd, 'docker-compose.yml'), 'config', '--format', 'json'])) // biome-ignore format: one command
    rmSync(cwd, { recursive: true })
    const withName = Object.keys(services).filter((name) => services[name].environment?.PUBLIC_ULR !== undefined)
    expect(withName.toSorted()).toEqual(['serve', 'set-up', 'workers'])
    for (const name of withName) expect(services[name].command).toContain('--check-names')
    expect(services.serve.environment).toMatchObject({ PORT: '8080', RATE_LIMIT_BURST: '9', S3_REGION: 'us-east-1' })
    const { SETTINGS_NOT_PASSED: notPassed, ...environment } = services['set-up'].environment
    expect(notPassed.match(/\w+=1/g)).toEqual(['S3_REGION=1'])
    expect(environment).toMatchObject({ S3_REGION: 'us-east-1' })
  },
)

describe.skipIf(noDocker)('docker compose', () => {
  beforeAll(async () => {
    await endDeadProjects()
    await compose('build')
  })
  afterAll(async () => {
    await docker(['compose', 'down', '--volumes', '--remove-orphans', '--timeout', '30'], env)
  })

  it('starts the system, and a file reaches every state', async () => {
    await up()
    const address = `http://localhost:${env.PORT}/`
    expect(await compose('logs', 'serve')).toContain(`"setUpLink":"${address}`)
    await expect(compose('run', '--rm', '--no-TTY', 'cli', 'vaults')).rejects.toThrow('Create the first API key')
    expect(await apiKey()).toMatch(/^tdp_\w+$/)
    expect(await demo()).toContain('all checks passed')
    expect(await compose('run', '--rm', '--no-TTY', 'operator', 'set-up-link')).toContain(address)
  })

  it('runs the CLI as the guide shows', () => {
    const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(guide) ?? []
    expect(commands.match(/docker compose run --rm cli/g)).toHaveLength(5)
    const { status, stdout, stderr } = spawnSync('bash', ['-euc', commands], {
      cwd: root,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/ok {2}[0-9a-f]{64} {2}README\.md/)])
  })

  it('keeps every container on a repeated up, build, or scale', async () => {
    const containers = async () => (await compose('ps', '--format', '{{.Name}} {{.ID}}')).split('\n').toSorted()
    const before = await containers()
    for (const scale of ['0', '1']) {
      await compose('build')
      await up('--scale', `workers=${scale}`)
      const added = (await containers()).filter((container) => !before.includes(container))
      expect(added.map((container) => container.split(' ')[0])).toEqual(
        scale === '0' ? [] : [`${projectName}-workers-1`],
      )
      expect(await containers()).toEqual([...before, ...added].toSorted())
    }
  })

  it('keeps keys, vaults, and cold files across down and up', async () => {
    const key = await apiKey()
    const before = await ask('/api/files?limit=50&deleted=true', key)
    await compose('down', '--timeout', '40')
    await up()
    expect(await apiKey()).toBe(key)
    expect(await ask('/api/files?limit=50&deleted=true', key)).toEqual(before)
    expect(before.status).toBe(200)
  })

  describe('the upgrade commands', () => {
    const script = join(root, 'deploy/image/upgrade.sh')
    afterAll(() => rmSync(join(root, `.tideport/upgrade-${projectName}`), { recursive: true, force: true }))
    const run = (own: Record<string, string>, ...args: string[]) =>
      spawnSync('sh', [script, ...(args.length > 0 ? args : ['--without-backup'])], {
        cwd: root,
        env: { ...process.env, ...env, ...own },
        encoding: 'utf8',
      })
    const images = async () =>
      new Set((await mustDocker(['inspect', '--format', '{{.Image}}', ...(await ourContainers())])).split('\n'))
    const ourContainers = async () =>
      (await compose('ps', '--all', '--format', '{{.ID}} {{.Image}}'))
        .split('\n')
        .filter((line) => line.includes('tideport'))
        .map((line) => line.split(' ')[0] as string)

    it.each([
      [{ HOT_RETENTION_SECONDS: 'soon' }, 'HOT_RETENTION_SECONDS: '],
      [{ PUBLIC_URL: 'files.example.org' }, 'PUBLIC_URL: '],
      [{ EVENTS_MAX_BYTES: '1000000000000000' }, 'no space for the stream EVENTS'],
    ])('replace no container with %o', async (own, fault) => {
      const before = await compose('ps', '--all', '--format', '{{.ID}} {{.State}}')
      const { status, stdout, stderr } = run(own)
      expect([status, stdout + stderr]).toEqual([1, expect.stringContaining(fault)])
      expect(await compose('ps', '--all', '--format', '{{.ID}} {{.State}}')).toBe(before)
    })

    it('back up to a folder, and replace the containers', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tideport-upgrade-'))
      chmodSync(folder, 0o777)
      const { status, stdout, stderr } = run({}, '--to', folder, '--unencrypted')
      expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/Backup .*: \d+ files/)])
      expect(await readdir(join(folder, 'backups'))).toHaveLength(1)
      rmSync(folder, { recursive: true })
    })

    it('start the previous version with all data if the new one does not become healthy', async () => {
      const key = await apiKey()
      const before = await ask('/api/files?limit=50&deleted=true', key)
      const old = await images()
      const broken = 'tideport-test/broken'
      const dockerfile = `FROM ${image}\nUSER root\nRUN printf '#!/bin/sh\\nexit 1\\n' >/usr/local/bin/health\nUSER 1000:1000\n`
      const built = spawnSync('docker', ['build', '--quiet', '--tag', broken, '-'], { input: dockerfile })
      expect(built.status).toBe(0)
      const { status, stdout } = run({ TIDEPORT_IMAGE: broken, UPGRADE_WAIT_SECONDS: '45' })
      expect([status, stdout]).toEqual([1, expect.stringContaining('The previous version runs, with all data')])
      expect(await images()).toEqual(old)
      expect(await ask('/api/files?limit=50&deleted=true', key)).toEqual(before)
      expect(before.status).toBe(200)
    })

    it('continue after they were killed while they replaced containers', async () => {
      const changed = { ...env, LOG_LEVEL: 'debug' }
      const child = spawn('sh', [script, '--without-backup'], {
        cwd: root,
        env: { ...process.env, ...changed },
        detached: true,
      })
      const ended = once(child, 'exit')
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
      child.stderr.resume()
      await waitFor(() => printed.includes('Replacing the containers'))
      process.kill(-(child.pid as number), 'SIGKILL')
      await ended
      const { status, stdout } = run(changed)
      expect([status, stdout]).toEqual([0, expect.stringContaining('Continuing an interrupted upgrade')])
      expect((await ask('/api/vaults', await apiKey())).status).toBe(200)
    })
  })

  it('restores everything from copies of four volumes, by the commands of the page', async () => {
    await up()
    await demo()
    const key = await apiKey()
    const before = await ask('/api/files?limit=50&deleted=true', key)
    const backup = commandsOf('back-up', 'Back up with Compose')
    const restore = commandsOf('back-up', 'Restore with Compose')
    const cwd = mkdtempSync(join(tmpdir(), 'tideport-backup-'))
    for (const lines of [backup, restore]) {
      const script = lines.replaceAll('tideport_', `${projectName}_`).replaceAll(' tideport -', ` ${image} -`)
      const own = { ...process.env, ...env, COMPOSE_FILE: join(root, 'docker-compose.yml') }
      const { status, stderr } = spawnSync('bash', ['-ec', script], { cwd, env: own, encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, expect.any(String)])
    }
    for (const one of ['', 'secrets.tar', 'postgres.tar', 's3.tar', 'network.tar'])
      expect(statSync(join(cwd, 'backup', one)).mode & 0o777, one).toBe(one === '' ? 0o700 : 0o600)
    rmSync(cwd, { recursive: true })
    expect(await apiKey()).toBe(key)
    expect(await ask('/api/files?limit=50&deleted=true', key)).toEqual(before)
    expect(before.status).toBe(200)
  })

  it('runs three more workers at the same time', async () => {
    await up('--scale', 'workers=3')
    const states = (await compose('ps', '--format', '{{.Service}} {{.Health}}')).split('\n')
    expect(states.filter((line) => line === 'workers healthy')).toHaveLength(3)
    expect(await demo()).toContain('all checks passed')
  })

  it('signs people in with the profile sign-in, by browser and by device', async (context) => {
    const port = await freePort()
    const issuer = `http://localhost:${port}`
    const signIn = { ...env, COMPOSE_PROFILES: 'sign-in', SIGN_IN_PORT: String(port), SIGN_IN_URL: issuer }
    const withSignIn = (...args: string[]) => mustDocker(['compose', ...args], signIn)
    const { code } = await docker(['compose', 'pull', '--policy', 'missing', 'sign-in'], signIn)
    if (code !== 0) context.skip('the image of the identity provider is unavailable')
    await withSignIn('up', '--detach', '--wait', '--no-build')
    const password = await withSignIn('run', '--rm', '--no-TTY', 'operator', 'people', 'add', 'ada@example.org')
    await withSignIn('restart', 'sign-in')
    await withSignIn('up', '--detach', '--wait', '--no-build')

    const person = signInAt(issuer, { login: 'ada@example.org', password })
    const accountOf = ({ access_token = '' }) => ask('/api/account', access_token)
    const tokens = await person.byBrowser(`http://localhost:${env.PORT}/console/`)
    const account = await accountOf(tokens)
    expect(account).toMatchObject({ status: 200 })
    const renewed = await person.renew(tokens)
    expect(await accountOf(renewed)).toEqual(account)
    expect(await accountOf(await person.byDevice())).toEqual(account)

    await withSignIn('run', '--rm', '--no-TTY', 'operator', 'people', 'remove', 'ada@example.org')
    await withSignIn('restart', 'sign-in')
    await withSignIn('up', '--detach', '--wait', '--no-build')
    expect(await person.renew(renewed)).toHaveProperty('error')
  })

  it('rejects NATS clients without credentials', async () => {
    const program = `const socket = require('node:net').connect(4222, 'nats');
      socket.on('connect', () => socket.write('CONNECT {"verbose":false}\\r\\nPING\\r\\n')).pipe(process.stdout)`
    const args = ['exec', '--no-TTY', 'serve', 'node', '--input-type=commonjs', '--eval', program]
    expect(await compose(...args)).toContain("-ERR 'Authorization Violation'")
  })

  it('keeps secrets out of the configuration of all containers', async () => {
    const key = await compose('exec', '--no-TTY', 'serve', 'cat', '/run/secrets/sync/AWS_SECRET_ACCESS_KEY')
    const ids = (await compose('ps', '--all', '--quiet')).split('\n')
    const configuration = await mustDocker(['inspect', ...ids])
    expect(key.length).toBeGreaterThan(20)
    expect(configuration).not.toContain(key)
    expect(configuration).not.toMatch(/postgres:\/\/|BEGIN|"d":/)
  })
})
