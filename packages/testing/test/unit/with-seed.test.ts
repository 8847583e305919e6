import { expect, it, onTestFinished, vi } from 'vitest'
import { type Random, withSeed } from '../../src/with-seed.ts'

const draw = async (random: Random) => Array.from({ length: 1000 }, random)

it('returns equal numbers for equal seeds and different ones for others, evenly from 0 to below 1', async () => {
  const numbers = await withSeed(draw, 'a')
  expect(await withSeed(draw, 'a')).toEqual(numbers)
  expect(await withSeed(draw, 'b')).not.toEqual(numbers)
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  const tenths = new Set(numbers.map((number) => Math.floor(number * 10)))
  expect(tenths.size).toBe(10)
})

it('uses the seed in TEST_SEED, prints it, and adds it to errors', async () => {
  vi.stubEnv('TEST_SEED', 'kept')
  onTestFinished(() => void vi.unstubAllEnvs())
  const print = vi.spyOn(console, 'info')
  onTestFinished(() => print.mockRestore())
  const cause = new Error('a file is lost')
  await expect(withSeed(() => Promise.reject(cause))).rejects.toMatchObject({
    message: 'With TEST_SEED=kept: a file is lost',
    cause,
  })
  expect(print).toHaveBeenCalledWith('TEST_SEED=kept')
})
