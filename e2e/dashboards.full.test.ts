import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { prometheusBinary, startPrometheus } from '@tideport/testing/prometheus'
import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createVault } from './support/account.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { uniqueBytes, untilStatus, uploadInSteps } from './support/uploads.ts'
import { createWebhook, untilEvent } from './support/webhook-events.ts'

interface Dashboard {
  panels: { title: string; description?: string; fieldConfig?: { defaults: { unit?: string } }; targets?: Target[] }[]
}
interface Target {
  expr: string
}
interface Rule {
  record?: string
  expr: string
}

const deploy = join(import.meta.dirname, '../deploy')
const directory = join(deploy, 'helm/tideport/files/dashboards')
const dashboards = globSync('*.json', { cwd: directory }).map((file) => ({
  file,
  panels: (JSON.parse(readFileSync(join(directory, file), 'utf8')) as Dashboard).panels,
}))
const reference = readFileSync(join(import.meta.dirname, '../docs/reference/metrics-and-alerts.md'), 'utf8')
const rulesText = readFileSync(join(deploy, 'prometheus/rules.yaml'), 'utf8')
const rules = (parse(rulesText) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)

/** Counts only if no Tideport process reports the consumer. */
const standIns = ['tideport:consumer_lag_of_exporter']

/** Has no series unless a network has the role leaving. */
const onlyWhileLeaving = 'tideport_copies_left'

const panelQueries = dashboards.flatMap(({ panels }) =>
  panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$namespace', '.*').replaceAll('$__rate_interval', '1m')),
  ),
)
const recorded = rules.flatMap(({ record, expr }) => (record && !standIns.includes(record) ? [expr] : []))

/** A silent alert has no series, but its metrics do. */
const watched = rules.flatMap(({ record, expr }) =>
  record ? [] : (expr.match(/\b(?:tideport|keda|kube|jetstream|http|nodejs|certmanager|probe)_\w+/g) ?? []),
)

test('each panel of the five dashboards has a description and a unit', () => {
  expect(dashboards).toHaveLength(5)
  for (const { file, panels } of dashboards) {
    for (const { title, description, fieldConfig, targets } of panels.filter((panel) => panel.targets)) {
      expect(title, file).toBeTruthy()
      expect(description, `${file}: ${title}`).toBeTruthy()
      expect(fieldConfig?.defaults.unit, `${file}: ${title}`).toBeTruthy()
      expect(targets, `${file}: ${title}`).not.toEqual([])
    }
  }
})

test('all metrics from other exporters are listed and used', () => {
  const asked = [...panelQueries, ...watched].join('\n')
  const foreign = clusterSeries.map((line) => line.split('{')[0] as string)
  expect(foreign.filter((name) => !asked.includes(name))).toEqual([])
})

/** The name of a metric, its type, and its help text, as `/metrics` and as the reference have them. */
type Described = readonly [name: string, type: string, help: string]

/** Of each process. Several services can share one. */
const adminUrls = () => [...new Set(sharedStack().processes.flatMap(({ adminUrl }) => adminUrl ?? []))]

const describedBy = async (adminUrl: string): Promise<Described[]> => {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const described = text.matchAll(/^# HELP ((?:tideport|http|messaging)_\w+) (.*)\n# TYPE \w+ (\w+)$/gm)
  return [...described].map(([, name = '', help = '', type = '']) => [name, type, help])
}

test('the reference lists every metric of every service, with its type and help text', async () => {
  const rows = reference.matchAll(/^\| `(\w+)` \| (\w+) \| [^|]* \| (.*) \|$/gm)
  const listed = new Set([...rows].map(([, ...described]) => described.join(' ')))
  const urls = adminUrls()
  const live = new Set((await Promise.all(urls.map(describedBy))).flat().map((described) => described.join(' ')))
  expect(live.size).toBeGreaterThan(60)
  expect([...live].filter((metric) => !listed.has(metric))).toEqual([])
})

describe.skipIf((await prometheusBinary('prometheus')) === undefined)(
  'with Prometheus (skipped: not installed)',
  () => {
    test('every query of the dashboards and rules is valid and finds series of running services', async () => {
      const targets = adminUrls()
      await using cluster = await serveClusterSeries()
      const rulesNow = rulesText.replace(/interval: 30s/g, 'interval: 1s')
      await using prometheus = await startPrometheus({
        targets: [...targets, cluster.url],
        scrapeSeconds: 1,
        rules: rulesNow,
      })
      // Rates cover the growth of counters since their first scrape.
      const isSeen = async () => (await prometheus.series('tideport_confirm_to_synced_seconds_count')) > 0
      await waitFor(isSeen, { what: 'a first scrape' })
      await using healthy = await startReceiver()
      await using failing = await startReceiver({ respond: () => ({ status: 500 }) })
      const client = freshAccount()
      for (const receiver of [healthy, failing]) {
        await createWebhook(client, receiver, ['file.hot', 'file.cold'])
      }
      const { id: vaultId } = await createVault(client, 'public')
      const upload = () => uploadInSteps(client, { vaultId, bytes: uniqueBytes() })
      const [file] = await Promise.all([upload(), upload(), upload()])
      await untilStatus(client, file?.id ?? '', 'cold')
      await Promise.all([healthy, failing].map((receiver) => untilEvent(receiver, 'file.hot')))

      let empty = [...new Set([...panelQueries, ...recorded, ...watched])].filter(
        (query) => !query.includes(onlyWhileLeaving),
      )
      // Throws for an invalid query.
      for (const rule of rules) await prometheus.series(rule.expr)
      for (const query of empty) await prometheus.series(query)
      const findSeries = async () => {
        // A counter that has its final value at the first scrape has no growth.
        await upload()
        const counts = await Promise.all(empty.map((query) => prometheus.series(query)))
        empty = empty.filter((_, index) => counts[index] === 0)
        return empty.length === 0
      }
      await waitFor(findSeries, { what: 'series', everyMs: 500 }).catch(() => {})
      expect(empty).toEqual([])
    })
  },
)

const worker = '{namespace="t",horizontalpodautoscaler="tideport-sync"} 1'
const scaled = '{namespace="t",scaledObject="tideport-sync"} 0'
const consumer = '{is_consumer_leader="true",stream_name="JOBS",consumer_name="store-embedded"} 0'

/** Series of KEDA, kube-state-metrics, cert-manager, and the exporters of NATS and of probes in a cluster. */
const clusterSeries = [
  `kube_horizontalpodautoscaler_status_current_replicas${worker}`,
  `kube_horizontalpodautoscaler_status_desired_replicas${worker}`,
  `kube_horizontalpodautoscaler_spec_max_replicas${worker}`,
  'kube_job_failed{namespace="t",job_name="tideport-migrate",condition="true"} 0',
  ...[
    'keda_scaler_metrics_value',
    'keda_scaler_active',
    'keda_scaler_detail_errors_total',
    'keda_scaled_object_errors_total',
    'keda_scaled_object_paused',
    'keda_scaler_metrics_latency_seconds',
  ].map((name) => `${name}${scaled}`),
  'certmanager_certificate_expiration_timestamp_seconds{namespace="t",name="tideport-tls"} 4000000000',
  'probe_ssl_earliest_cert_expiry{job="tideport-certificates",instance="postgres:5432"} 4000000000',
  ...['num_pending', 'num_ack_pending', 'num_redelivered', 'num_waiting'].map(
    (name) => `jetstream_consumer_${name}${consumer}`,
  ),
]

/** Serves them on loopback. */
async function serveClusterSeries() {
  const server = createServer((_request, response) => {
    // Prometheus 3 requires this header.
    response.setHeader('content-type', 'text/plain; version=0.0.4')
    response.end(`${clusterSeries.join('\n')}\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
