import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDir } from '@tideport/dev-stack/binaries/cache-dir'
import { findOnPath } from '@tideport/dev-stack/binaries/find-on-path'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { onAPort } from '@tideport/dev-stack/ports/on-a-port'
import { awaitReady } from '@tideport/dev-stack/processes/await-ready'
import { withFileLock } from '@tideport/dev-stack/processes/file-lock'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { runChild } from '@tideport/dev-stack/processes/run-child'
import { createTemporaryDirectory } from './temporary-directory.ts'

const run = promisify(execFile)

/** Path of Prometheus or promtool, on PATH or from Debian's package in the cache. Undefined if unavailable. */
export async function prometheusBinary(name: 'prometheus' | 'promtool'): Promise<string | undefined> {
  const [installed] = await findOnPath(name, hostEnvironment())
  if (installed !== undefined) return installed
  const directory = join(cacheDir(), 'prometheus')
  const binary = join(directory, 'usr/bin', name)
  if (await exists(binary)) return binary
  await mkdir(cacheDir(), { recursive: true, mode: 0o755 })
  await withFileLock(`${directory}.lock`, async () => {
    if (!(await exists(binary))) await unpack(directory).catch(() => {})
  })
  return (await exists(binary)) ? binary : undefined
}

async function unpack(directory: string): Promise<void> {
  const work = await mkdtemp(`${directory}-`)
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: work, timeout: 120_000 })
    const [archive = ''] = await readdir(work)
    await run('dpkg-deb', ['-x', join(work, archive), join(work, 'unpacked')], { timeout: 60_000 })
    await rename(join(work, 'unpacked'), directory)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

export interface PrometheusOptions {
  targets: readonly string[]
  scrapeSeconds: number
  rules: string
}

export async function startPrometheus({ targets, scrapeSeconds, rules }: PrometheusOptions) {
  const command = await prometheusBinary('prometheus')
  if (command === undefined) throw new Error('prometheus is not installed')
  await using starting = new AsyncDisposableStack()
  const { path: directory } = starting.use(await createTemporaryDirectory('prometheus'))
  const [configuration, ruleFile] = [join(directory, 'prometheus.yaml'), join(directory, 'rules.yaml')]
  await writeFile(ruleFile, rules)
  const hosts = targets.map((target) => new URL(target).host)
  const settings = {
    global: { scrape_interval: `${scrapeSeconds}s`, evaluation_interval: `${scrapeSeconds}s` },
    rule_files: [ruleFile],
    scrape_configs: [{ job_name: 'tideport', static_configs: [{ targets: hosts }] }],
  }
  // JSON is valid YAML.
  await writeFile(configuration, JSON.stringify(settings))
  const { url, ...child } = await onAPort(undefined, async (port) => {
    const url = `http://127.0.0.1:${port}`
    const child = await runChild({
      command,
      args: [
        `--config.file=${configuration}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      cwd: directory,
      env: {},
      user: undefined,
      stopSignal: 'SIGTERM',
      stopGraceMs: 2_000,
      deathSignal: 'SIGKILL',
      recordFile: join(directory, 'process.json'),
    })
    await awaitReady('prometheus', child, async () => (await fetch(`${url}/-/ready`)).ok, 30_000)
    return { ...child, url }
  })
  starting.use(child)
  const started = starting.move()
  return {
    url,
    /** Number of series that an expression returns now. Throws Prometheus's error message for an invalid expression. */
    async series(expression: string): Promise<number> {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
      const answer = (await response.json()) as { status: string; error?: string; data?: { result: unknown[] } }
      if (answer.status !== 'success') throw new Error(`${expression}: ${answer.error}`)
      return answer.data?.result.length ?? 0
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
