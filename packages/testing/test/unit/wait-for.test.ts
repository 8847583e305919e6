import { expect, it } from 'vitest'
import { waitFor } from '../../src/wait-for.ts'

it('returns the first truthy answer, counting a throw as not yet', async () => {
  const answers = [() => null, () => Promise.reject(new Error('early')), () => 'there']
  expect(await waitFor(() => answers.shift()?.(), { everyMs: 0 })).toBe('there')
})

it('names what it waited for and why the last look failed', async () => {
  const waiting = waitFor(() => Promise.reject(new Error('still absent')), { timeoutMs: 0, what: 'the row' })
  await expect(waiting).rejects.toMatchObject({
    message: 'Waited 0 ms in vain for the row',
    cause: { message: 'still absent' },
  })
})
