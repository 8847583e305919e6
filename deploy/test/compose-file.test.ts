import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { composeVariables } from '../../packages/operator/src/set-up/compose-variables.ts'
import { composePage, guide } from './support/compose-docs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { services: written } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true })

it('each container reads only the secrets of its services', () => {
  const foldersOf = (name: string) =>
    written[name].volumes.flatMap((volume: { source?: string; volume?: { subpath: string } }) =>
      volume.source === 'secrets' ? volume.volume?.subpath : [],
    )
  expect(foldersOf('serve').toSorted()).toEqual(['auth', 'eviction', 'files', 'gateway', 'sync', 'webhooks'])
  expect(foldersOf('workers').toSorted()).toEqual(['eviction', 'sync'])
  for (const name of ['postgres', 'nats', 's3']) expect(foldersOf(name)).toEqual([name])
})

it('every third-party image is pinned by digest, and is the same in Compose and the chart', () => {
  const read = (file: string) => parse(readFileSync(join(root, file), 'utf8'), { merge: true })
  const ofCompose = Object.values<{ image: string }>(read('docker-compose.yml').services)
    .map(({ image }) => /^\$\{\w+_IMAGE:-(.*)}$/.exec(image)?.[1] ?? image)
    .filter((image) => image !== 'tideport:latest')
  const { dev } = read('deploy/helm/tideport/values.yaml')
  const ofChart: string[] = [dev.postgres.image, dev.nats.image, dev.s3.image]
  expect(ofCompose.length).toBeGreaterThan(ofChart.length)
  for (const image of ofCompose) expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-alpine)?@sha256:[0-9a-f]{64}$/)
  for (const image of ofChart) expect(ofCompose).toContain(image)
})

it('Git ignores files with secrets of an installation', () => {
  const secrets = [
    '.env',
    '.env.development',
    'networks.env',
    'docker-compose.override.yml',
    'keys.yaml',
    'backup/secrets.tar',
  ]
  const { stdout } = spawnSync('git', ['check-ignore', ...secrets], { cwd: root, encoding: 'utf8' })
  expect(stdout.trim().split('\n')).toEqual(secrets)
})

it('the documentation names every variable of docker-compose.yml', () => {
  const pages = composePage + guide + readFileSync(join(root, 'docs/reference/settings.md'), 'utf8')
  for (const name of composeVariables) expect(pages).toContain(`\`${name}`)
})
