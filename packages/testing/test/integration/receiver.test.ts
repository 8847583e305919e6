import { expect, it } from 'vitest'
import { startReceiver } from '../../src/receiver.ts'

it('records the exact bytes and headers it was sent', async () => {
  await using receiver = await startReceiver()
  const body = Buffer.from([0, 255, 13, 10])
  await fetch(`${receiver.url}hook?a=1`, { method: 'POST', body, headers: { 'x-test': 'yes' } })
  const request = await receiver.waitFor(({ path }) => path === '/hook?a=1')
  expect(request).toMatchObject({ method: 'POST', body, headers: { 'x-test': 'yes' } })
})

it('answers by its script, then 200', async () => {
  await using receiver = await startReceiver({
    respond: [{ status: 503 }, 'reset', { status: 302, headers: { location: '/x' } }],
  })
  const post = () => fetch(receiver.url, { method: 'POST', redirect: 'manual' })
  expect((await post()).status).toBe(503)
  await expect(post()).rejects.toThrow()
  expect((await post()).headers.get('location')).toBe('/x')
  expect((await post()).status).toBe(200)
  expect(receiver.requests).toHaveLength(4)
})

it('keeps a request unanswered until it is disposed of', async () => {
  const receiver = await startReceiver({ respond: 'hang' })
  const answer = fetch(receiver.url)
  await receiver.waitFor(() => true)
  await receiver.dispose()
  await expect(answer).rejects.toThrow()
})
