import { createHash, randomBytes } from 'node:crypto'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/** The next pseudorandom number, from 0 to below 1. */
export type Random = () => number

/** Runs `work` with numbers that follow from `TEST_SEED`, or a new seed. Prints the seed and adds it to errors. */
export async function withSeed<T>(
  work: (random: Random) => Promise<T>,
  seed = hostEnvironment().TEST_SEED || randomBytes(4).toString('hex'),
): Promise<T> {
  console.info(`TEST_SEED=${seed}`)
  let drawn = 0
  const random = () => createHash('sha256').update(`${seed} ${drawn++}`).digest().readUInt32LE() / 2 ** 32
  try {
    return await work(random)
  } catch (cause) {
    throw new Error(`With TEST_SEED=${seed}: ${(cause as Error).message}`, { cause })
  }
}
