import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Why tests that need a Docker daemon are skipped. Undefined if a daemon responds. */
export const noDocker = spawnSync('docker', ['version']).status === 0 ? undefined : 'no Docker daemon responds'
if (noDocker) console.log(`Tests of images and Compose are skipped: ${noDocker}.`)

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs docker in the checkout and waits until it exits. */
export async function docker(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const child = spawn('docker', args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

/** Runs docker and returns its output. Rejects with the output if the command fails. */
export async function mustDocker(args: string[], env?: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await docker(args, env)
  if (code !== 0) throw new Error(`docker ${args.join(' ')} exited with ${code}:\n${stdout}\n${stderr}`)
  return stdout.trim()
}

/** The base image from the environment. By default the Dockerfile's pinned image is used. */
export const base = process.env.BASE

/** Builds a target of the Dockerfile under this tag. */
export async function build(target: string, tag: string): Promise<void> {
  const network = process.env.TIDEPORT_BUILD_NETWORK ?? 'default'
  const options = ['--network', network, ...(base ? ['--build-arg', `BASE=${base}`] : [])]
  await mustDocker(['build', '--quiet', ...options, '--target', target, '--tag', tag, '.'])
}
