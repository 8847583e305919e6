import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { base, build, docker, mustDocker, noDocker, root } from './support/docker.ts'

const services = ['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks']
const targets = [...services, 'all']
const tagOf = (target: string) => `tideport-test/${target}`
const restricted = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--network', 'none']
const run = (target: string, args: string[]) => docker(['run', '--rm', ...restricted, tagOf(target), ...args])

async function inspect(image: string): Promise<{ Size: number; Config: Record<string, unknown> }> {
  return JSON.parse(await mustDocker(['image', 'inspect', image]))[0]
}

describe.skipIf(noDocker)('the images', () => {
  beforeAll(async () => {
    for (const target of targets) await build(target, tagOf(target))
  })

  it.each(targets)('%s: is at most 40 MB larger than its base, runs without root, and has labels', async (target) => {
    const { Size, Config } = await inspect(tagOf(target))
    const { Size: baseSize } = await inspect(base ?? (await pinnedBase()))
    expect((Size - baseSize) / 1e6).toBeLessThan(40)
    expect(Config).toMatchObject({ User: '1000:1000', Healthcheck: { Test: ['CMD', 'health'] } })
    expect(Object.keys(Config.Labels as object)).toEqual(
      expect.arrayContaining(['org.opencontainers.image.version', 'org.opencontainers.image.licenses']),
    )
  })

  it.each(services)(
    '%s: starts with restricted rights, and prints every fault of its configuration',
    async (service) => {
      // Without arguments, the image runs the same program.
      expect((await inspect(tagOf(service))).Config.Cmd).toEqual([service])
      const { code, stderr } = await run(service, [])
      expect(code).toBe(1)
      expect(stderr).toContain(`${service}: the configuration is not valid`)
      expect(stderr).toMatch(/is required/)
    },
  )

  it('the common image runs every program, and lists the programs if none is named', async () => {
    const { code, stderr } = await run('all', [])
    expect(code).toBe(2)
    for (const word of ['serve', ...services, 'migrate auth', 'migrate files', 'migrate webhooks', 'operator']) {
      expect(stderr).toContain(word)
    }
    // In one container, because starting a container takes as long as starting Node.
    const each = ['serve', ...services].map((service) => `tideport ${service}`).join('; ')
    const started = await docker(['run', '--rm', ...restricted, '--entrypoint', 'sh', tagOf('all'), '-c', each])
    for (const service of ['serve', ...services]) {
      expect(started.stderr).toContain(`${service}: the configuration is not valid`)
    }
    const migration = await run('all', ['migrate', 'files'])
    expect(migration.stderr).toContain('MIGRATION_DATABASE_URL: is required')
  })

  it('the image of one service contains no other service, and reports that', async () => {
    const { code, stderr } = await run('sync', ['gateway'])
    expect([code, stderr]).toEqual([
      2,
      'tideport: This image does not contain gateway. Use the image of gateway or the one with all programs.\n',
    ])
  })

  it('contain an SBOM without test dependencies', async () => {
    const { stdout } = await docker(['run', '--rm', '--entrypoint', 'cat', tagOf('all'), '/app/sbom.cdx.json'])
    const names = (JSON.parse(stdout) as { components: { name: string }[] }).components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['fastify', 'kysely', 'pino']))
    expect(names).not.toContain('vitest')
  })

  it('print the secrets for Kubernetes as a manifest with all keys', async () => {
    const { stdout } = await run('all', ['operator', 'make-secrets', '--format', 'kubernetes', '--name', 'keys'])
    const manifest = JSON.parse(stdout)
    expect(manifest).toMatchObject({ kind: 'Secret', metadata: { name: 'keys' } })
    expect(Object.keys(manifest.stringData).toSorted()).toEqual([
      'download-token-keys',
      'export-secret-keys',
      'identity-token-private-key',
      'identity-token-public-keys',
      's3-api-secret-keys',
      'webhook-secret-keys',
    ])
  })
})

it('the base image is pinned by digest', async () => {
  expect(await pinnedBase()).toMatch(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/)
})

async function pinnedBase(): Promise<string> {
  const [, image = ''] = /^ARG BASE=(.*)$/m.exec(await readFile(join(root, 'Dockerfile'), 'utf8')) ?? []
  return image
}
