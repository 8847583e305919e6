import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { withSeed } from '@tideport/testing/with-seed'
import { describe, expect, inject, it } from 'vitest'
import { nameOf, newReference } from '../copies.ts'
import { drivers, missing, type NetworkUnderTest } from '../networks-under-test.ts'
import { patternBytes } from '../process/pattern-bytes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** How often a process is killed that stores on each network, or at each moment of an embedded one; once unless given. */
    killsWhileStoring?: number
  }
}

const MIB = 1024 * 1024
/** Three parts of a network in a bucket; less where each byte costs the devnet what ten cost the others. */
const sizeOf = (name: string) => (name === 'walrus' ? 2 : 18) * MIB + 11
const PROGRAM = fileURLToPath(new URL('../process/store-forever.ts', import.meta.url))
/** Longer than it takes to store the blob once. */
const LIFE_MAX_MS = 800
const signal = new AbortController().signal

/** Starts a process that stores under the reference again and again, and kills it; whether it had reported a commit. */
async function storeAndKill(
  { config }: NetworkUnderTest,
  [reference, size]: [string, number],
  lifeMs: number,
): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(config), reference, `${size}`])
  const ended = once(child, 'exit')
  let isReported = false
  child.stdout.once('data', () => {
    isReported = true
  })
  await once(child, 'spawn')
  await delay(lifeMs)
  child.kill('SIGKILL')
  expect((await ended)[1], 'it ended by itself').toBe('SIGKILL')
  return isReported
}

describe('kill -9 at any moment while storing', () => {
  for (const [name, open] of Object.entries(drivers)) {
    it.skipIf(missing().includes(name))(
      `${name}: leaves no copy or a whole one, keeps what was reported, and can be repeated`,
      async () => {
        await using under = await open()
        const { network } = under
        const size = sizeOf(name)
        await withSeed(async (random) => {
          for (let round = 0; round < (inject('killsWhileStoring') ?? 1); round++) {
            const reference = newReference()
            await using staged = await network.stage(patternBytes(size), { reference, signal })
            await staged.discard()
            const isReported = await storeAndKill(under, [reference, size], 300 + random() * LIFE_MAX_MS)
            const copy = nameOf(staged, reference)
            const { state } = await network.stat(copy, signal)
            const proof = await network.prove(copy, staged, signal)
            if (isReported) expect(state).toBe('present')
            expect(proof).toMatchObject(state === 'present' ? { ok: true } : { ok: false, reason: 'absent' })
            await using again = await network.stage(patternBytes(size), { reference, signal })
            const whole = nameOf(again, reference, await again.commit())
            expect(await network.prove(whole, staged, signal)).toMatchObject({ ok: true })
          }
        })
      },
    )
  }
})
