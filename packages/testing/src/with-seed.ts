import { createHash, randomBytes } from 'node:crypto'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

/** The next number of a sequence, from 0 to below 1. */
export type Random = () => number

/** Runs `work` with repeatable chance by `TEST_SEED`, a new one unless set. The seed is printed, and in the error. */
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
