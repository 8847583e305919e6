import { join } from 'node:path'
import { type KuboServer, launchKubo } from '@tideport/dev-stack/servers/launch-kubo'
import { inject } from 'vitest'
import type {} from './provided.ts'
import { createTemporaryDirectory } from './temporary-directory.ts'

/** Whether Kubo is installed or could be obtained. Tests that need it are skipped otherwise. */
export const hasKubo = (): boolean => inject('kubo') ?? false

/** A separate private Kubo for tests, including tests that kill it. It keeps its port. */
export async function startKubo() {
  const directory = await createTemporaryDirectory('kubo')
  const options = { dataDir: join(directory.path, 'data'), durable: false }
  let server = await launchKubo(options)
  const { port, url, token, repo } = server
  return {
    ...{ url, token, repo },
    /** Calls the RPC and returns the complete response. The error contains the text of a failed response. */
    call: (command: string, query: Record<string, string> = {}) => call(server, command, query),
    async kill() {
      server.kill()
      await server.exited
    },
    async start() {
      server = await launchKubo({ ...options, port })
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await directory[Symbol.asyncDispose]()
    },
  }
}

export type TestKubo = Awaited<ReturnType<typeof startKubo>>

async function call({ url, token }: KuboServer, command: string, query: Record<string, string>): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/api/v0/${command}?${new URLSearchParams(query)}`, { method: 'POST', headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${command}: ${text}`)
  return text
}
