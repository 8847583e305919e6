import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, inject } from 'vitest'
import type { NetworkConfig } from '../../src/open-network.ts'
import type { StorageNetwork } from '../../src/storage-network.ts'
import { nameOf, newReference } from '../copies.ts'
import { patternBytes } from './pattern-bytes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** How often a process is killed per network, or per moment of an embedded one. Default: once. */
    killsWhileStoring?: number
  }
}

const PROGRAM = fileURLToPath(new URL('store-forever.ts', import.meta.url))
const signal = new AbortController().signal

/** The process that stores. */
interface Victim {
  child: ChildProcess
  blobId: string
  reference: string
  /** Whether it has reported a commit. */
  isReported: () => boolean
}

/**
 * Kills a process that stores repeatedly under one reference, when `moment` resolves. Then no copy exists or a complete
 * one, a reported commit exists, and everything can be repeated.
 */
export async function killWhileStoring(
  { config, network }: { config: NetworkConfig; network: StorageNetwork },
  sizeBytes: number,
  moment: (victim: Victim) => Promise<unknown>,
): Promise<void> {
  const reference = newReference()
  await using staged = await network.stage(patternBytes(sizeBytes), { reference, signal })
  await staged.discard()
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(config), reference, `${sizeBytes}`])
  const ended = once(child, 'exit')
  let isReported = false
  child.stdout.once('data', () => {
    isReported = true
  })
  await once(child, 'spawn')
  await moment({ child, blobId: staged.blobId, reference, isReported: () => isReported })
  child.kill('SIGKILL')
  expect((await ended)[1], 'it exited without a kill').toBe('SIGKILL')

  const copy = nameOf(staged, reference)
  const { state } = await network.stat(copy, signal)
  if (isReported) expect(state).toBe('present')
  const proof = await network.prove(copy, staged, signal)
  expect(proof).toMatchObject(state === 'present' ? { ok: true } : { ok: false, reason: 'absent' })
  expect(proof).not.toHaveProperty('mended')
  await using again = await network.stage(patternBytes(sizeBytes), { reference, signal })
  const whole = nameOf(again, reference, await again.commit())
  expect(await network.prove(whole, staged, signal)).toMatchObject({ ok: true })
}

/** Repeats a kill as often as the run is configured to. */
export async function eachKill(kill: () => Promise<void>): Promise<void> {
  for (let round = 0; round < (inject('killsWhileStoring') ?? 1); round++) await kill()
}
