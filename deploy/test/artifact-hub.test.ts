import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { annotatedChart } from '../release/artifact-hub.ts'
import { chart, exampleFile, target, useHelm } from './support/helm.ts'

const helm = useHelm('helm4')
const tag = `v${manifest.version}`
const program = join(import.meta.dirname, '../release/chart.ts')

/** A string with YAML in it. */
const yaml = <T extends z.ZodType>(schema: T) => z.preprocess((text) => parse(text as string), schema)
const truth = z.enum(['true', 'false'])
const link = z.strictObject({ name: z.string().min(1), url: z.url({ protocol: /^https$/ }) })

/** What Artifact Hub reads of a chart. It ignores a chart with an invalid annotation. */
const shown = z.object({
  home: link.shape.url,
  sources: z.array(link.shape.url),
  icon: link.shape.url,
  annotations: z.strictObject({
    'artifacthub.io/category': z.literal('storage'),
    'artifacthub.io/license': z.literal('Apache-2.0'),
    'artifacthub.io/prerelease': truth,
    'artifacthub.io/containsSecurityUpdates': truth,
    'artifacthub.io/images': yaml(
      z.array(z.strictObject({ name: z.string(), image: z.string().regex(/^[a-z0-9./-]+:[\w.-]+(@sha256:[0-9a-f]{64})?$/) })), // biome-ignore format: one shape
    ),
    'artifacthub.io/links': yaml(z.array(link)),
    'artifacthub.io/changes': yaml(
      z.array(z.strictObject({ kind: z.enum(['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']), description: z.string().min(1) })), // biome-ignore format: one shape
    ),
  }),
})

it('the chart of a release has valid annotations of Artifact Hub, and installs from its archive', async () => {
  await using directory = await createTemporaryDirectory('chart')
  const packaged = join(directory.path, 'tideport')
  const env = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'Acme/Tideport', REGISTRY: 'ghcr.io' }
  await promisify(execFile)(process.execPath, [program, tag, packaged], { env })
  const described = shown.parse(parse(await readFile(join(packaged, 'Chart.yaml'), 'utf8')))
  const images = described.annotations['artifacthub.io/images']
  expect(images.map(({ name }) => name)).toEqual(['tideport', 'postgres', 'nats', 'versitygw'])
  expect(await readFile(join(packaged, 'README.md'), 'utf8')).not.toMatch(/\]\((?!https?:|#)/)
  await helm.run(['lint', '--strict', ...target, packaged, '-f', exampleFile('evaluation')])
  await helm.run(['package', packaged, '--destination', directory.path])
  const archive = join(directory.path, `tideport-${manifest.version}.tgz`)
  const manifests = await helm.run(['template', 'acme', archive, ...target, '-f', exampleFile('evaluation')])
  const used = new Set([...manifests.matchAll(/^ +image: "?([^"\n]+)/gm)].map(([, image]) => image as string))
  expect([...used].toSorted()).toEqual(images.map(({ image }) => image).toSorted())
})

it('lists the changes of the changelog as plain text, and marks pre-releases and security updates', async () => {
  const [text, values] = await Promise.all(
    ['Chart.yaml', 'values.yaml'].map((name) => readFile(join(chart, name), 'utf8')),
  )
  const notes = 'First.\n\n### Added\n\n- **A**: `one` and\n  [two](docs/x.md)\n- B\n\n### Security\n\n- C\n'
  const release = { tag: 'v9.0.0-rc.1', repository: 'https://github.com/acme/t', image: 'ghcr.io/acme/t', notes }
  const { annotations } = shown.parse(parse(annotatedChart(text as string, { ...release, values: values as string })))
  expect(annotations).toMatchObject({
    'artifacthub.io/prerelease': 'true',
    'artifacthub.io/containsSecurityUpdates': 'true',
    'artifacthub.io/changes': [
      { kind: 'added', description: 'A: one and two' },
      { kind: 'added', description: 'B' },
      { kind: 'security', description: 'C' },
    ],
  })
})
