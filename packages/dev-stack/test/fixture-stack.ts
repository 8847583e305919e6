import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StackFile, StackProcess } from '../src/data-directory/stack-file.ts'
import { startStack } from '../src/stack/start-stack.ts'

const servicesDir = fileURLToPath(new URL('fixtures/services', import.meta.url))

/** A stack of real servers and fixture services that only report their environment. */
export const startFixtureStack = (dataDir: string, options: Parameters<typeof startStack>[0] = {}) =>
  startStack({ dataDir, port: 0, servicesDir, together: [], durable: false, quiet: true, ...options })

export async function environmentOf({ adminUrl }: StackProcess): Promise<Record<string, string>> {
  const response = await fetch(`${adminUrl}/environment`)
  return (await response.json()) as Record<string, string>
}

export function processOf(stack: StackFile, name: string, replica = 0): StackProcess {
  const found = stack.processes.find((process) => process.name === name && process.replica === replica)
  if (found === undefined) throw new Error(`no ${name}-${replica} in stack.json`)
  return found
}

export const fromDisk = async (dir: string): Promise<StackFile> =>
  JSON.parse(await readFile(join(dir, 'stack.json'), 'utf8'))
