import { AsyncLocalStorage } from 'node:async_hooks'
import dns from 'node:dns'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isWaitingFor, lookup } from '../../src/s3-client.ts'

afterEach(() => vi.restoreAllMocks())

/** The result of a lookup for each caller, and the context of the callback. */
function ask(hostname: string, caller: string, context: AsyncLocalStorage<string>, family = 0) {
  const { promise, resolve } = Promise.withResolvers<unknown[]>()
  context.run(caller, () => lookup(hostname, { family }, (...told) => resolve([context.getStore(), ...told])))
  return promise
}

describe('a host name', () => {
  it('shares one lookup between concurrent callers, each called back in its own context', async () => {
    const pending: ((...answer: unknown[]) => void)[] = []
    vi.spyOn(dns, 'lookup').mockImplementation(((_name: string, _options: object, done: () => void) => {
      pending.push(done)
    }) as never)
    const context = new AsyncLocalStorage<string>()
    const told = ['one', 'two', 'three'].map((caller) => ask('slow.test', caller, context))
    const other = ask('slow.test', 'six', context, 6)
    expect(pending).toHaveLength(2)
    expect(isWaitingFor('slow.test')).toBe(true)
    for (const done of pending) done(null, '192.0.2.1', 4)
    expect(await Promise.all(told)).toEqual(['one', 'two', 'three'].map((caller) => [caller, null, '192.0.2.1', 4]))
    expect(await other).toEqual(['six', null, '192.0.2.1', 4])
    expect(isWaitingFor('slow.test')).toBe(false)

    const again = ask('slow.test', 'again', context)
    expect(pending).toHaveLength(3)
    const failure = new Error('no such name')
    pending[2]?.(failure)
    expect(await again).toEqual(['again', failure])
  })
})
