import { anyLeaving, leave } from '@tideport/testing/leaving-reader'
import { waitFor } from '@tideport/testing/wait-for'
import { withSeed } from '@tideport/testing/with-seed'
import { expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, visitorOf } from '../client.ts'
import { makeCold } from '../later-states.ts'

const t = sharedBundle({ env: { PUBLIC_READS: 'redirect', COLD_STREAMS_MAX: '30' }, logLevel: 'info' })

// An error without a listener fails the run.
it('readers that disconnect immediately, even during a redirect, keep no slot and cause no error', async () => {
  const [hot, cold] = [await clientOf(t).hotFile('hot'), await clientOf(t).hotFile(Buffer.alloc(16 * 1024 * 1024))]
  await makeCold(t, cold.id)
  const paths = [hot, cold].map(({ id }) => `/api/public/files/${id}`)
  const headers = await t.principalHeaders()
  await withSeed(async (random) => {
    for (let left = 0; left < 200; left += 20) {
      const leaving = paths.flatMap((path) =>
        Array.from({ length: 10 }, () => anyLeaving(`${t.address}${path}`, random, headers)),
      )
      await Promise.all(leaving.map(leave))
    }
  })
  const taken = () => t.metrics.render().then(({ text }) => /tideport_open_streams{tier="cold".* (\d+)/.exec(text)?.[1])
  await waitFor(async () => (await taken()) === '0')
  const statuses = paths.map(async (path) => (await visitorOf(t)(path)).status)
  expect(await Promise.all(statuses)).toEqual([302, 200])
  expect(t.lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
})

it('PUBLIC_READS=redirect sends reads to the object storage while it is certain to have the bytes', async () => {
  const file = await clientOf(t).hotFile('hello')
  const path = `/api/public/files/${file.id}`
  const answer = await visitorOf(t)(path)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store'])
  expect(await (await fetch(answer.headers.get('location') ?? '')).text()).toBe('hello')
  expect((await visitorOf(t)(path, { method: 'HEAD' })).status).toBe(200)
  // The store has other ETags.
  const conditional = (etag: string) => visitorOf(t)(path, { headers: { 'if-match': etag } })
  expect([(await conditional(`"${file.id}"`)).status, (await conditional('"x"')).status]).toEqual([200, 412])
  await makeCold(t, file.id)
  expect(await visitorOf(t)(path)).toMatchObject({ status: 200, bytes: Buffer.from('hello') })
})

it('any range of an empty file returns 200 without bytes, hot and cold, to the public and its owner', async () => {
  const client = clientOf(t)
  const file = await client.hotFile('', { name: 'empty' })
  const own = `/api/vaults/${file.vaultId}/content/empty`
  const sources: unknown[] = []
  for (const makeNext of [() => makeCold(t, file.id), async () => {}]) {
    const { downloadUrl, source } = (await client.call('GET', `/api/files/${file.id}/download`)).body
    sources.push(source)
    const { pathname, search } = new URL(downloadUrl)
    for (const range of ['bytes=-500', 'bytes=0-', 'bytes=0-0', 'bytes=0-1,3-4']) {
      const answers = [
        await visitorOf(t)(pathname + search, { headers: { range } }),
        await visitorOf(t)(`/api/public/files/${file.id}`, { headers: { range } }),
        await client.call('GET', own, { headers: { range } }),
      ]
      for (const answer of answers) expect(answer, range).toMatchObject({ status: 200, bytes: Buffer.alloc(0) })
    }
    await makeNext()
  }
  expect(sources).toEqual(['hot', 'network'])
})
