import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, useHelm } from './support/helm.ts'
import { theOne } from './support/manifests.ts'

/** What Prometheus and Grafana expand themselves must come through as it is. */
const annotations = { summary: '{{ $labels.instance }} is {{ $value }} s behind' }
const rules = (threshold: string) => ({
  groups: [
    {
      name: 'sample',
      rules: [{ alert: 'Sample', expr: `tideport_due_sync_age_seconds > <<${threshold}>>`, annotations }],
    },
  ],
})
const dashboard = '{ "title": "Sample", "legend": "{{instance}}" }\n'

describe('the chart with a file of rules and a dashboard', () => {
  const helm = useHelm('helm4')
  let copy = ''
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'tideport-chart-'))
    await cp(chart, copy, { recursive: true })
    for (const folder of ['rules', 'dashboards']) await mkdir(join(copy, 'files', folder), { recursive: true })
    await writeFile(join(copy, 'files/rules/sample.yaml'), stringify(rules('sampleSeconds')))
    await appendFile(join(copy, 'files/thresholds.yaml'), 'sampleSeconds: 600\n')
    await writeFile(join(copy, 'files/dashboards/tideport-sample.json'), dashboard)
  })
  afterAll(() => rm(copy, { recursive: true }))

  it.each([
    ['of its own', {}, 600],
    ['of the values before its own', { sampleSeconds: 900 }, 900],
  ])('gives Prometheus the rules, with the thresholds %s', async (_, thresholds, expected) => {
    const manifests = await helm.template('production', { metrics: { rules: { enabled: true, thresholds } } }, copy)
    const [group] = theOne(manifests, 'PrometheusRule', '-sample').spec.groups
    expect(group.rules[0].expr).toBe(`tideport_due_sync_age_seconds > ${expected}`)
    expect(group.rules[0].annotations).toEqual(annotations)
  })

  it('refuses a rule whose threshold nobody gave', async () => {
    await writeFile(join(copy, 'files/rules/sample.yaml'), stringify(rules('otherSeconds')))
    const rendered = helm.template('production', { metrics: { rules: { enabled: true } } }, copy)
    await expect(rendered).rejects.toThrow(/thresholds has no otherSeconds, which files\/rules\/sample.yaml needs/)
  })

  it('gives Grafana the dashboard, byte for byte, where its sidecar finds it', async () => {
    const values = { metrics: { dashboards: { enabled: true, folder: 'Tideport' } } }
    const { metadata, data } = theOne(await helm.template('production', values, copy), 'ConfigMap', '-dashboard-sample')
    expect(data).toEqual({ 'tideport-sample.json': dashboard })
    expect([metadata.labels.grafana_dashboard, metadata.annotations.grafana_folder]).toEqual(['1', 'Tideport'])
  })
})
