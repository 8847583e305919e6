import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { log, never } from '@tideport/file-lifecycle/testing/bundle'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { expect, it } from 'vitest'
import { findNewerRelease, isNewer } from '../../src/operator/newer-release.ts'
import { setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

/** A site whose `release.json` has this response. */
async function openSite(respond: (response: ServerResponse) => void) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    respond(response)
  })
  const releaseSiteUrl = `http://127.0.0.1:${await listenOnLoopback(server)}/docs`
  return { requests, releaseSiteUrl, [Symbol.asyncDispose]: () => closeAtOnce(server) }
}

const find = (releaseSiteUrl: string, serviceEnv = 'development') =>
  findNewerRelease({ releaseSiteUrl, serviceEnv, log, signal: never, timeoutMs: 1000 }, '0.1.0')

it.each([
  ['0.1.1', '0.1.0', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '0.99.9', true],
  ['0.2.0', '0.2.0-rc.1', true],
  ['0.1.0', '0.1.0', false],
  ['0.1.9', '0.2.0-rc.1', false],
  ['0.9.9', '1.0.0', false],
])('compares %s with %s by semantic versioning', (release, own, expected) => {
  expect(isNewer(release, own)).toBe(expected)
})

it('finds a newer release by a request that contains nothing about the installation', async () => {
  await using site = await openSite((response) => response.end('{"version":"0.2.0","notesUrl":"https://evil.example"}'))
  const notesUrl = `${site.releaseSiteUrl}/release-notes/`
  expect(await find(site.releaseSiteUrl)).toEqual({ version: '0.2.0', notesUrl })
  const [request] = site.requests
  expect([request?.method, request?.url]).toEqual(['GET', '/docs/release.json'])
  expect(Object.keys(request?.headers ?? {}).toSorted()).toEqual(['accept', 'connection', 'host'])
})

it.each<[string, (response: ServerResponse) => void]>([
  ['an older version', (response) => response.end('{"version":"0.0.9"}')],
  ['a version with markup', (response) => response.end('{"version":"9.0.0<script>"}')],
  ['another type', (response) => response.end('{"version":{"0.2.0":1}}')],
  ['no JSON', (response) => response.end('<!doctype html>')],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['an error', (response) => response.writeHead(500).end('{"version":"0.2.0"}')],
  ['a closed connection', (response) => response.destroy()],
  ['a body without an end', (response) => void setInterval(() => response.write('x'.repeat(8192)), 1).unref()],
  ['no response', () => undefined],
])('finds nothing in %s', async (_, respond) => {
  await using site = await openSite(respond)
  expect(await find(site.releaseSiteUrl)).toBeNull()
  expect(site.requests).toHaveLength(1)
})

it('sends nothing to a private address in production', async () => {
  await using site = await openSite((response) => response.end('{"version":"0.2.0"}'))
  expect(await find(site.releaseSiteUrl, 'production')).toBeNull()
  expect(site.requests).toEqual([])
})

it('requests the file once for all operators', async () => {
  await using site = await openSite((response) => response.end('{"version":"99.0.0"}'))
  await using t = await setup({ env: { RELEASE_SITE_URL: site.releaseSiteUrl } })
  const read = () => clientOf(t, undefined, { method: 'jwt', isOperator: true }).call('GET', '/api/operator/release')
  const [first, second] = [await read(), await read()]
  expect(first.body).toEqual({
    running: expect.stringMatching(/^\d/),
    newer: { version: '99.0.0', notesUrl: `${site.releaseSiteUrl}/release-notes/` },
  })
  expect(second.body).toEqual(first.body)
  expect(site.requests).toHaveLength(1)
})
