import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chart, exampleFile, examples, helms, useHelm } from '../test/support/helm.ts'
import { hasKind, inNamespace, kubectl, objects, useNamespace } from './support/cluster.ts'

/** The CRD of each optional kind. */
const crds: Record<string, string> = {
  HTTPRoute: 'httproutes.gateway.networking.k8s.io',
  ScaledObject: 'scaledobjects.keda.sh',
  TriggerAuthentication: 'triggerauthentications.keda.sh',
  PodMonitor: 'podmonitors.monitoring.coreos.com',
  ServiceMonitor: 'servicemonitors.monitoring.coreos.com',
}

/** Without hooks, because Helm waits for hooks and nothing runs here. */
const asJobs = {
  migrations: { mode: 'job' },
  jetstream: { provision: { mode: 'external' } },
  setUp: { network: false },
}
const plain = { ...asJobs, gateway: { httpRoute: { enabled: false } } }
const withValues = (values: object) => ['-f', exampleFile('production'), '-f', '-', stringify(values)] as const

describe.each(helms)('an API server, by %s,', (name) => {
  const helm = useHelm(name)
  const namespace = useNamespace(name)
  const run = inNamespace(helm, namespace)
  const apply = (command: string[], values: object) => {
    const [flag, file, more, stdin, input] = withValues(values)
    return run([...command, flag, file, more, stdin], input)
  }
  const numberOf = async (deployment: string) => {
    const found = (await objects(namespace, 'deployments')).find(({ metadata }) => metadata.name === deployment)
    return found.spec.replicas
  }

  it.for(examples)('accepts every object of %s without pod warnings', async (example, context) => {
    const manifests = await helm.template(example)
    for (const [kind, crd] of Object.entries(crds)) {
      const lacks = manifests.some((item) => item.kind === kind) && !(await hasKind(crd))
      context.skip(lacks, `The cluster has no CRD of ${kind}.`)
    }
    // A pod alone is rejected until its ServiceAccount exists. The test below creates it.
    const kept = manifests.filter(({ kind }) => kind !== 'Pod')
    expect(kept.length).toBeGreaterThan(15)
    const { stderr } = await dryRun(kept.map((manifest) => stringify(manifest)).join('---\n'), namespace)
    expect(stderr).toBe('')
  })

  it('accepts an installation with its pods, an upgrade, a rollback, and an uninstall', async () => {
    await apply(['install', 'acme', chart], plain)
    const deployments = await objects(namespace, 'deployments')
    // The status of a Deployment without pods has no `replicas`.
    for (const deployment of deployments.filter(({ spec }) => spec.replicas > 0)) {
      const wanted = `jsonpath={.status.replicas}=${deployment.spec.replicas}`
      await kubectl(
        'wait',
        '-n',
        namespace,
        `deployment/${deployment.metadata.name}`,
        `--for=${wanted}`,
        '--timeout=120s',
      )
    }
    expect((await objects(namespace, 'pods')).length).toBeGreaterThanOrEqual(9)

    await apply(['upgrade', 'acme', chart], { ...plain, files: { replicas: 3 }, image: { tag: 'other' } })
    expect(await numberOf('acme-tideport-files')).toBe(3)
    expect((await objects(namespace, 'jobs')).length).toBe(1)
    await run(['rollback', 'acme', '1'])
    expect(await numberOf('acme-tideport-files')).toBe(2)

    await run(['uninstall', 'acme'])
    expect(await objects(namespace, 'deployments')).toEqual([])
    // The copies of cold files outlive the release.
    expect((await objects(namespace, 'pvc')).map(({ metadata }) => metadata.name)).toEqual([
      'acme-tideport-network-disk',
    ])
    await kubectl('delete', 'pvc', 'acme-tideport-network-disk', '-n', namespace, '--wait=false')
  })

  it('accepts upgrades of Deployments that `kubectl scale` has changed', async () => {
    const scaled = { ...plain, sync: { replicas: null }, files: { autoscaling: { mode: 'hpa' } } }
    await apply(['install', 'scaled', chart], scaled)
    await kubectl('scale', '-n', namespace, 'deployment/scaled-tideport-sync', '--replicas=5')
    await kubectl('scale', '-n', namespace, 'deployment/scaled-tideport-files', '--replicas=4')
    await apply(['upgrade', 'scaled', chart], { ...scaled, config: { logLevel: 'debug' } })
    expect(await numberOf('scaled-tideport-sync')).toBe(5)
    await run(['uninstall', 'scaled'])
  })

  it('accepts ScaledObjects, and their change to an HPA and back', async (context) => {
    context.skip(!(await hasKind(crds.ScaledObject as string)), 'The cluster has no KEDA.')
    const mode = (which: string) => ({ ...plain, sync: { autoscaling: { mode: which } } })
    await apply(['install', 'keda', chart], mode('keda'))
    expect((await objects(namespace, 'scaledobjects')).map(({ metadata }) => metadata.name)).toEqual([
      'keda-tideport-sync',
    ])
    await apply(['upgrade', 'keda', chart], mode('hpa'))
    expect(await objects(namespace, 'scaledobjects')).toEqual([])
    await apply(['upgrade', 'keda', chart], mode('keda'))
    expect(await objects(namespace, 'scaledobjects')).toHaveLength(1)
    await run(['uninstall', 'keda'])
  })

  it('accepts the upgrade from the previous release', async (context) => {
    const before = previousRelease()
    context.skip(before === undefined, 'No previous release exists.')
    await apply(['install', 'old', before as string], plain)
    await apply(['upgrade', 'old', chart], plain)
    await run(['uninstall', 'old'])
  })
})

/** Warnings of the restricted profile come on stderr. */
async function dryRun(text: string, namespace: string): Promise<{ stderr: string }> {
  const running = promisify(execFile)('kubectl', ['apply', '--dry-run=server', '-n', namespace, '-f', '-'])
  running.child.stdin?.end(text)
  return running
}

/** The chart of the newest tag below this commit, unpacked. */
function previousRelease(): string | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let tag: string | undefined
  try {
    tag = git('tag', '--merged', 'HEAD', '--sort=-v:refname', '--list', 'v*').toString().split('\n')[0]
  } catch {
    return undefined // a shallow clone
  }
  if (!tag || git('ls-tree', tag, 'deploy/helm/tideport').length === 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'tideport-chart-'))
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', tag, 'deploy/helm/tideport') })
  return join(folder, 'deploy/helm/tideport')
}
