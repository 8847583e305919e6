import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import type { StagedBlob } from '../../src/storage-network.ts'
import { nameOf, newReference } from '../copies.ts'
import { createEmbeddedDirectory, type EmbeddedDirectory } from '../embedded-directory.ts'
import { patternBytes } from '../process/pattern-bytes.ts'

const SIZE_BYTES = 5 * 1024 * 1024 + 11
const PROGRAM = fileURLToPath(new URL('../process/store-forever.ts', import.meta.url))
const signal = new AbortController().signal

interface Seen {
  staged: string[]
  placed: string[]
  reference: string
  reported: boolean
}

/** When to kill. The victim goes on meanwhile, so each round hits it at or a little after the moment. */
const MOMENTS: Record<string, (seen: Seen) => boolean> = {
  'content is being staged': ({ staged }) => staged.length > 0,
  'the sidecar is staged': ({ staged }) => staged.some((name) => name.endsWith('.dag')),
  'the sidecar is placed': ({ placed, reference }) => placed.includes(`${reference}.dag`),
  'the content is placed': ({ placed, reference }) => placed.includes(reference),
  'the commit was reported': ({ reported }) => reported,
  'the copy is about to be replaced': ({ reported, staged }) =>
    reported && staged.some((name) => name.endsWith('.dag')),
}

const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path) : [])

/** Blob id, digest and size of what the victim stores. */
async function describePattern(): Promise<StagedBlob> {
  await using own = await createEmbeddedDirectory()
  await using staged = await own.network.stage(patternBytes(SIZE_BYTES), { reference: newReference(), signal })
  return staged
}

/** Starts the victim, kills it when the moment has come; tells whether it had reported a commit. */
async function killAt(
  moment: (seen: Seen) => boolean,
  { dir, config }: Pick<EmbeddedDirectory, 'dir' | 'config'>,
  blobId: string,
  reference: string,
): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, JSON.stringify(config), reference, `${SIZE_BYTES}`])
  const ended = once(child, 'exit')
  let reported = false
  child.stdout?.once('data', () => {
    reported = true
  })
  const look = () => ({
    staged: namesIn(join(dir, 'staging')),
    placed: namesIn(join(dir, blobId)),
    reference,
    reported,
  })
  while (!moment(look()) && child.exitCode === null) await nextTurn()
  child.kill('SIGKILL')
  expect((await ended)[1], 'the victim ended by itself').toBe('SIGKILL')
  return reported
}

describe('embedded: kill -9 while storing', () => {
  for (const [name, moment] of Object.entries(MOMENTS)) {
    it(`when ${name}: leaves no copy or a whole one, keeps what was reported, and can be repeated`, async () => {
      const expected = await describePattern()
      for (let round = 0; round < (inject('killsWhileStoring') ?? 1); round++) {
        await using own = await createEmbeddedDirectory()
        const reference = newReference()
        const reported = await killAt(moment, own, expected.blobId, reference)
        const copy = nameOf(expected, reference)
        const { state } = await own.network.stat(copy, signal)
        const proof = await own.network.prove(copy, expected, signal)
        if (reported) expect(state).toBe('present')
        expect(proof).toEqual(state === 'present' ? { ok: true, expiresAt: null } : { ok: false, reason: 'absent' })
        await using again = await own.network.stage(patternBytes(SIZE_BYTES), { reference, signal })
        await again.commit()
        expect(await own.network.prove(nameOf(again, reference), expected, signal)).toMatchObject({ ok: true })
      }
    })
  }
})
