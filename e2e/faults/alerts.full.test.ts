import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { prometheusBinary, startPrometheus } from '@tideport/testing/prometheus'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { openAccount } from './support/account.ts'
import { findProcess, signalProcess } from './support/processes.ts'

interface Rule {
  alert?: string
  expr: string
}

/** The shipped rules with shorter durations: three seconds instead of 15 minutes. */
function hastyRules(): string {
  const rulesFile = new URL('../../deploy/prometheus/rules.yaml', import.meta.url)
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] }
  const hasty = groups.map((group) => ({
    ...group,
    interval: '1s',
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: rule.expr.replace('[15m]', '[3s]').replace('> 3600', '> 3'),
      ...(rule.alert ? { for: '0s' } : {}),
    })),
  }))
  return stringify({ groups: hasty })
}

/** An unavailable network, a full stream, a capped eviction, and an unresponsive service, on running processes. */
test.skipIf((await prometheusBinary('prometheus')) === undefined)(
  'each fault of a running system fires its own alert and no other (skipped without Prometheus)',
  { timeout: 400_000 },
  async () => {
    const env = { EVICTIONS_PER_MINUTE_MAX: '1' }
    await using stack = await startTestStack({ together: [], networks: ['disk-a', 'disk-b'], env })
    await using account = await openAccount(stack)
    const targets = stack.describe().processes.flatMap(({ adminUrl }) => adminUrl ?? [])
    await using prometheus = await startPrometheus({ targets, scrapeSeconds: 1, rules: hastyRules() })
    const fires = (alert: string, labels = '') =>
      prometheus.series(`ALERTS{alertstate="firing", alertname="${alert}"${labels && `, ${labels}`}}`)
    const until = (alert: string, labels?: string) =>
      waitFor(async () => (await fires(alert, labels)) > 0, { what: `${alert} to fire` })
    const upload = () => account.upload(uniqueBytes())

    await until('TideportWatchdog')
    await waitFor(async () => (await prometheus.series('group by (service) (tideport_build_info)')) === 6, {
      what: 'every process to be scraped',
    })
    await waitFor(async () => (await fires('TideportServiceAbsent')) === 0, { what: 'all services to be there' })
    const quiet = 'StorageNetworkFault|CircuitOpen|EvictionBehind|JobsFull|DependencyDown|FileFiguresMissing'
    await waitFor(async () => (await prometheus.series('tideport_files')) > 0, { what: 'the first figures' })
    const early = `ALERTS{alertstate="firing", alertname=~"Tideport(${quiet})"}`
    await waitFor(async () => (await prometheus.series(early)) === 0, {
      what: 'nothing to be wrong',
    })

    await Promise.all([upload(), upload(), upload()])
    await until('TideportEvictionBehind', 'queue="evict"')

    const dir = join(stack.dataDir, 'networks', 'disk-b')
    await rename(dir, `${dir}.aside`)
    await upload()
    await until('TideportStorageNetworkFault', 'network="disk-b", fault="missing"')
    await until('TideportCircuitOpen', 'service="sync", needs="disk-b"')
    expect(await fires('TideportStorageNetworkFault', 'network="disk-a"')).toBe(0)
    await rename(`${dir}.aside`, dir)
    await waitFor(async () => (await fires('TideportStorageNetworkFault')) === 0, { what: 'the network to be well' })

    const broker = await connect({ servers: stack.describe().natsUrl })
    const { streams } = await jetstreamManager(broker)
    await streams.update('JOBS', { max_bytes: 1 })
    await upload()
    await until('TideportJobsFull')
    await streams.update('JOBS', { max_bytes: 100_000_000 })
    await broker.close()

    const auth = findProcess(stack, 'auth')
    signalProcess(auth, 'SIGSTOP')
    await until('TideportServiceAbsent', 'service="auth"')
    await until('TideportDependencyDown', 'service="gateway", dependency="auth"')
    expect(await fires('TideportServiceAbsent', 'service=~"files|webhooks"')).toBe(0)
    signalProcess(auth, 'SIGCONT')
  },
)
