import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { withSeed } from '@tideport/testing/with-seed'
import { describe, it } from 'vitest'
import { createEmbeddedDirectory } from '../embedded-directory.ts'
import { drivers, missing } from '../networks-under-test.ts'
import { eachKill, killWhileStoring } from '../process/kill-while-storing.ts'

const MIB = 1024 * 1024
/** Three parts in a bucket. Less on Walrus, where each byte costs the devnet ten times as much. */
const sizeOf = (name: string) => (name === 'walrus' ? 2 : 18) * MIB + 11
/** Longer than one store of the blob. */
const LIFE_MAX_MS = 800

describe('kill -9 at any moment while storing', () => {
  for (const [name, open] of Object.entries(drivers)) {
    it.skipIf(missing().includes(name))(
      `${name}: leaves no copy or a complete one, keeps reported commits, and can be repeated`,
      async () => {
        await using under = await open()
        await withSeed(async (random) =>
          eachKill(() => killWhileStoring(under, sizeOf(name), () => delay(300 + random() * LIFE_MAX_MS))),
        )
      },
    )
  }
})

interface Seen {
  staged: string[]
  placed: string[]
  reference: string
  reported: boolean
}

/** When to kill. The victim keeps running, so each round hits it at or shortly after this moment. */
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

describe('embedded: kill -9 while storing', () => {
  for (const [name, moment] of Object.entries(MOMENTS)) {
    it(`when ${name}: leaves no copy or a complete one, keeps reported commits, and can be repeated`, async () => {
      await eachKill(async () => {
        await using own = await createEmbeddedDirectory()
        await killWhileStoring(own, 5 * MIB + 11, async ({ child, blobId, reference, isReported }) => {
          const look = () => ({
            staged: namesIn(join(own.dir, 'staging')),
            placed: namesIn(join(own.dir, blobId)),
            reference,
            reported: isReported(),
          })
          while (!moment(look()) && child.exitCode === null) await nextTurn()
        })
      })
    })
  }
})
