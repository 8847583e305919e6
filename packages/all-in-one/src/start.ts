import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Stack, startStack } from '@tideport/dev-stack/stack/start-stack'
import { releaseMemory } from '@tideport/service-kit/process/release-memory'
import { openAdmin } from './admin.ts'
import type { Environment, Options } from './options.ts'
import { screen } from './screen.ts'
import { stackOptionsOf } from './settings.ts'

/** How long the first screen waits for the set-up link, which a service logs shortly after its start. */
const linkMs = 5_000

/** Runs until `signal` aborts. Throws an error with a readable message if the system cannot start. */
export async function start(options: Options, env: Environment, signal: AbortSignal, out: (line: string) => void) {
  const { adminPort, ...stackOptions } = stackOptionsOf(options, env)
  const { dataDir, host } = options
  await assertWritable(dataDir)
  await using admin = await openAdmin(adminPort, host)
  await using stack = await startStack({ ...stackOptions, signal, out })
  admin.serve(stack)
  out(screen({ ...options, publicUrl: stack.publicUrl, setUpLink: await setUpLink(stack) }))
  releaseMemory()
  await aborted(signal)
  out('stopping')
}

/** A folder of another user, mounted into the container, is the most frequent fault of a first start. */
async function assertWritable(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    const owner = `${process.getuid?.()}:${process.getgid?.()}`
    throw new Error(`${dir} is not writable for user ${owner}. Run: chown ${owner} ${dir}`, { cause: error })
  }
}

async function setUpLink(stack: Stack): Promise<string | undefined> {
  if (stack.describe().firstUserId !== '') return undefined
  const until = Date.now() + linkMs
  while (stack.setUpLink() === undefined && Date.now() < until) await delay(50)
  return stack.setUpLink()
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
