import { expect, it } from 'vitest'
import { startChaosProxy } from '../../src/chaos-proxy.ts'
import { startReceiver } from '../../src/receiver.ts'
import { waitFor } from '../../src/wait-for.ts'

it('passes, resets and swallows what goes through it', async () => {
  await using receiver = await startReceiver({ respond: { status: 200, body: 'through' } })
  await using proxy = await startChaosProxy(receiver)
  const get = (signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${proxy.port}/`, { headers: { connection: 'close' }, ...(signal && { signal }) })

  expect(await (await get()).text()).toBe('through')
  proxy.setWeather({ kind: 'delay', delayMs: 5 })
  expect(await (await get()).text()).toBe('through')
  proxy.setWeather({ kind: 'reset' })
  await expect(get()).rejects.toThrow()

  proxy.setWeather({ kind: 'blackhole' })
  const aborter = new AbortController()
  const lost = expect(get(aborter.signal)).rejects.toThrow()
  await waitFor(() => proxy.connections() === 1, { what: 'the swallowed connection' })
  aborter.abort()
  await lost
  expect(receiver.requests).toHaveLength(2)
})

it('cuts connections that are open', async () => {
  await using receiver = await startReceiver({ respond: 'hang' })
  await using proxy = await startChaosProxy(receiver)
  const answer = expect(fetch(`http://127.0.0.1:${proxy.port}/`)).rejects.toThrow()
  await receiver.waitFor(() => true)
  proxy.cut()
  await answer
})
