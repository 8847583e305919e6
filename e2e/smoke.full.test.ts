import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startTestStack } from './support/start-test-stack.ts'

const program = fileURLToPath(new URL('../deploy/image/smoke.ts', import.meta.url))

async function smoke(gatewayUrl: string) {
  const env = { PATH: process.env.PATH, GATEWAY_URL: gatewayUrl, WAIT_SECONDS: '60' }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

/** A proxy for the gateway that returns 503 for requests that match `isRefused`. */
async function openDoor(gatewayUrl: string, isRefused: (what: string) => boolean) {
  const server = createServer((incoming, answer) => {
    if (isRefused(`${incoming.method} ${incoming.url}`)) return void answer.writeHead(503).end('the door is shut')
    const { method, headers } = incoming
    const onward = request(new URL(incoming.url as string, gatewayUrl), { method, headers } as object, (reply) => {
      reply.pipe(answer.writeHead(reply.statusCode as number, reply.headers))
    })
    incoming.pipe(onward)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() }
}

test('smoke stops at synced if files stay hot for a day, and prints what it skipped', async () => {
  await using stack = await startTestStack({ env: { HOT_RETENTION_SECONDS: '86400' } })
  const [gateway] = stack.describe().gatewayUrls as [string]
  const { code, stdout, stderr } = await smoke(gateway)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(
    /synced: read identical.*\nskipped: proof and cold, due at 20.*\nwebhooks: attempted deliveries of hot, synced\n/,
  )

  // The cause of the failure comes first, then the failures of the cleanup.
  using door = await openDoor(gateway, (what) => /^DELETE|\/confirm$/.test(what))
  const failed = await smoke(door.url)
  expect(failed.code).toBe(1)
  const [cause, ...more] = failed.stderr.trim().split('\n')
  expect(cause).toMatch(/^smoke failed: POST \/api\/files\/.*\/confirm returned 503: the door is shut$/)
  expect(more).toHaveLength(3)
  for (const what of ['file', 'vault', 'webhook'])
    expect(more.join()).toContain(`cleanup: the ${what} was not deleted: DELETE`)
})

test('smoke does not wait for download URLs that are valid for a day', async () => {
  await using stack = await startTestStack({ env: { HOT_RETENTION_SECONDS: '5', DOWNLOAD_URL_SECONDS: '86400' } })
  const { code, stdout, stderr } = await smoke(stack.describe().gatewayUrls[0] as string)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(
    /synced: read identical.*\nskipped: proof and cold, due at 20.*\nwebhooks: attempted deliveries of hot, synced\n/,
  )
})
