import { spawn, spawnSync } from 'node:child_process'

/** The version in which the tests run. */
export const pinnedNode = '24.21.0'

/** Runs this command again in a Node that npm downloads once. Returns false if npm has none for this system. */
export function runInPinnedNode(): boolean {
  if (process.platform !== 'linux') return false
  const spec = `node-linux-${process.arch}@${pinnedNode}`
  process.stderr.write(
    `Using Node ${pinnedNode} because this is ${process.versions.node}. npm downloads it once (55 MB).\n`,
  )
  const npm = ['exec', '--yes', '--prefer-offline', `--package=${spec}`, '--', 'node', '--print', 'process.execPath']
  const { stdout } = spawnSync('npm', npm, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
  const node = (stdout || '').trim()
  if (node === '') return false
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
  return true
}
