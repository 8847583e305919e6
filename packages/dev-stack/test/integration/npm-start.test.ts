import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDir } from '../temporary-dir.ts'

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
  [['--port', 'many'], '--port takes a number from 0 to 65535, not "many".'],
  [['--network', 'ipfs'], 'The network "ipfs" is not built yet; use --network embedded.'],
  [['--replicas', 'gatway=2'], '--replicas: there is no service "gatway"'],
])('%j is answered with a sentence and exit code 2', async (args, sentence) => {
  const { exitCode, stderr } = await run(args)
  expect(stderr).toContain(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(exitCode).toBe(2)
})

test('a taken port is answered with a sentence and exit code 1', async () => {
  await using dir = await temporaryDir()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { exitCode, stderr } = await run(['--port', String(port), '--data', dir.path])
  server.close()
  expect(stderr).toBe(`Port ${port} is taken. Stop what listens there, or choose another (--port 0: any free one).\n`)
  expect(exitCode).toBe(1)
})
