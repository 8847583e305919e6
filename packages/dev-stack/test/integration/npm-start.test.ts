import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { listenOnLoopback } from '@tideport/testing/loopback-server'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

function run(args: readonly string[]): Promise<{ exitCode: number; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], (_, __, stderr) => {
      resolve({ exitCode: child.exitCode as number, stderr })
    })
  })
}

test.each([
  [['--colour'], "Unknown option '--colour'. Options: --port N"],
  [['--port', 'many'], '--port must be a number from 0 to 65535, not "many".'],
  [
    ['--networks', 'Lake'],
    '--networks must be names of 1 to 32 characters (a-z, 0-9, and -), separated by commas, not "Lake".',
  ],
  [['--replicas', 'gatway=2'], '--replicas: unknown service "gatway"'],
])('%j prints one sentence and exits with code 2', async (args, sentence) => {
  const { exitCode, stderr } = await run(args)
  expect(stderr).toContain(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(exitCode).toBe(2)
})

test('a taken port prints one sentence and exits with code 1', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const server = createServer()
  const port = await listenOnLoopback(server)
  const { exitCode, stderr } = await run(['--port', String(port), '--data', dir.path])
  server.close()
  expect(stderr).toBe(`Port ${port} is in use. Stop the process that uses it, or choose another port with --port.\n`)
  expect(exitCode).toBe(1)
})
