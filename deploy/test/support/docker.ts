import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Why tests that need a Docker daemon do not run here; undefined where there is one. */
export const noDocker = spawnSync('docker', ['version']).status === 0 ? undefined : 'no Docker daemon answers'
if (noDocker) console.log(`tests of images and Compose are not run: ${noDocker}`)

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs docker in the checkout, to its end. */
export async function docker(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const child = spawn('docker', args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

/** The same; rejects with what it said unless it succeeds. Returns its output. */
export async function mustDocker(args: string[], env?: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await docker(args, env)
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
  return stdout.trim()
}

/** The base of the images: what the Dockerfile pins, unless the environment says another. */
export const base = process.env.BASE

/** Builds a target of the Dockerfile under this tag. */
export async function build(target: string, tag: string): Promise<void> {
  const network = process.env.TIDEPORT_BUILD_NETWORK ?? 'default'
  const options = ['--network', network, ...(base ? ['--build-arg', `BASE=${base}`] : [])]
  await mustDocker(['build', '--quiet', ...options, '--target', target, '--tag', tag, '.'])
}
