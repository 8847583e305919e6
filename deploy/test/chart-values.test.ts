import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { chart, exampleFile, helms, target, useHelm } from './support/helm.ts'
import { theOne } from './support/manifests.ts'
import { renderedCases, schemaFaults, sentences } from './support/many-charts.ts'

type Case = [name: string, values: object, ...expected: string[]]

const cases = readFileSync(new URL('support/value-cases.yaml', import.meta.url), 'utf8')
const { refusedBySchema, refusedBySentence, accepted } = parse(cases) as Record<
  'refusedBySchema' | 'refusedBySentence' | 'accepted',
  Case[]
>

describe.each(helms)('values with %s', (name) => {
  const helm = useHelm(name)

  let faults: Promise<Map<string, string>> | undefined
  it.each(refusedBySchema)('with %s are rejected by the schema', async (fault, _values, message) => {
    faults ??= schemaFaults(helm, 'production', refusedBySchema)
    expect((await faults).get(fault)).toMatch(new RegExp(String(message)))
  })

  let said: Promise<Map<string, string[]>> | undefined
  it.each(refusedBySentence)('with %s are rejected with a message', async (fault, _values, ...expected) => {
    said ??= sentences(helm, 'production', refusedBySentence)
    expect((await said).get(fault)).toEqual(expected)
  })

  it('that are invalid print every message before rendering', async () => {
    const args = ['template', 'acme', chart, ...target, '-f', exampleFile('production')]
    const wrong = ['--set', 'config.publicUrl=files.example.org', '--set', 's3.bucket=Tide_Port']
    const { stderr } = await helm.run([...args, ...wrong]).catch((error) => error)
    const lines = String(stderr)
      .split('\n')
      .filter((line) => line.startsWith('- '))
    expect(lines).toEqual([
      '- config.publicUrl: must be an http or https URL without a user name, password, query, or fragment, not "files.example.org".',
      `- s3.bucket: must be an S3 bucket name: 3 to 63 lower-case letters, digits, '-', and '.', with a letter or a digit at both ends, not "Tide_Port".`,
    ])
  })

  let rendered: Promise<string[]> | undefined
  it.each(accepted)('with %s are accepted', async (what) => {
    rendered ??= renderedCases(helm, 'production', accepted)
    expect(await rendered).toContain(what)
  })

  it('keep large numbers exact', async () => {
    const manifests = await helm.template('production')
    const [{ env }] = theOne(manifests, 'Deployment', '-files').spec.template.spec.containers
    expect(env).toContainEqual({ name: 'MAX_FILE_BYTES', value: '53687091200' })
    const [webhooks] = theOne(manifests, 'Deployment', '-webhooks').spec.template.spec.containers
    expect(webhooks.env).toContainEqual({ name: 'WEBHOOK_RETRY_SCALE', value: '0.5' })
  })

  it('of a component override single defaults, also with zero and false', async () => {
    const manifests = await helm.template('production', {
      defaults: { preStopSeconds: 9 },
      sync: { pdb: { enabled: false }, securityContext: { readOnlyRootFilesystem: false } },
    })
    const [sync] = theOne(manifests, 'Deployment', '-sync').spec.template.spec.containers
    expect(sync.lifecycle).toBeUndefined()
    expect(sync.securityContext).toMatchObject({ readOnlyRootFilesystem: false, allowPrivilegeEscalation: false })
    expect(manifests.some((item) => item.kind === 'PodDisruptionBudget' && /-sync$/.test(item.metadata.name))).toBe(
      false,
    )
  })
})
