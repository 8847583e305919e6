import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Hurt, lossOf, mendable } from '@tideport/storage-network/test/damage'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { retryFile } from '../../src/copies/retry-file.ts'
import { nameOf } from '../../src/state/copy-transitions.ts'
import { isNamed } from '../../src/state/file-copies.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { must, never } from '../bundle.ts'
import { type Configured, setupNetworks } from '../networks-bundle.ts'

const t = setUpOnce(setup)

const NETWORKS = ['lake', 'attic'] as const
const both = { lake: 'required', attic: 'required' } as const
/** The second one has two leaves, and therefore a sidecar. */
const SIZES = [100_000, 1_100_000]
const ROUNDS_MAX = 12
const AT_ONCE = 16

type Name = (typeof NETWORKS)[number]
type Id = Pick<FileRow, 'id'>
interface Stored {
  file: FileRow
  body: string
  isLarge: boolean
}

const pick = <Item>(items: readonly Item[], random: Random): Item => items[Math.floor(random() * items.length)] as Item
const mendsOf = (isLarge: boolean) => Object.entries(mendable).filter(([, { small }]) => isLarge || small)

async function inBatches<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(work))
}

async function setup() {
  const t = await setupNetworks(...NETWORKS)
  const { startOver } = t
  const c = await t.configure(both)
  const newFile = async (text: string, size = 1_100_000): Promise<Stored> => {
    const body = `${text} `.repeat(size).slice(0, size)
    const stored = { file: await c.coldFile(body), body, isLarge: size > 1_048_576 }
    // Data that a process has read before must not hide later damage.
    expect((await c.bytesOf(stored.file)) === body).toBe(true)
    return stored
  }
  const spares: Stored[] = []
  const pathOf = async (file: Id, name: Name) => {
    const { blobId, reference } = await t.copy(file, name)
    return join(t.directoryOf(name).path, must(blobId), reference)
  }
  return Object.assign(t, {
    c,
    newFile,
    pathOf,
    async startOver() {
      await startOver()
      spares.splice(0, 2, await newFile('spare', SIZES[0]), await newFile('spare'))
    },
    async hurt(hurt: Hurt, { file, isLarge }: Stored, name: Name) {
      await hurt(await pathOf(file, name), await pathOf(must(spares[isLarge ? 1 : 0]).file, name))
    },
    hasEvent: async ({ id }: Id, type: string) => (await t.events(id)).includes(type),
  })
}

/** New processes without cached trees read the copy of each network alone. */
async function expectReadable({ file, body }: Stored, fresh: Configured): Promise<void> {
  for (const copy of (await t.found(file.id)).copies) {
    const network = must(fresh.networks.get(copy.network))
    if (!isNamed(copy)) throw new Error('The copy has no name')
    const size = { state: 'present', sizeBytes: body.length }
    expect(await network.stat(nameOf(copy), never)).toMatchObject(size)
    const bytes = await buffer(await network.open(nameOf(copy), { signal: never }))
    expect(bytes.toString() === body, `${file.id} on ${copy.network}`).toBe(true)
  }
}

/** Runs the workers of both networks until every copy is proved again. */
async function heal(files: readonly Stored[]): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await inBatches(files, ({ file }) => t.makeDue(file.id))
    await Promise.all(NETWORKS.map((name) => t.c.check(name)))
    await inBatches(files, async ({ file }) => {
      for (const { network, state } of (await t.found(file.id)).copies) {
        if (state === 'planned') await t.c.store(file, network)
        if (state !== 'proved') await t.c.prove(file, network)
      }
    })
    const states = await Promise.all(files.map(async ({ file }) => Object.values(await t.states(file))))
    if (states.flat().every((state) => state === 'proved')) return
  }
  throw new Error('There are copies that do not heal')
}

describe('64 damaged copies of every kind', () => {
  it('are all healed, repaired in place where the bytes are intact, and no file is ever in error', async () => {
    await withSeed(async (random) => {
      const files: Stored[] = []
      await inBatches([...Array(32).keys()], async (index) => {
        files.push(await t.newFile(`file ${index}`, SIZES[index % 2]))
      })
      const expected = { mended: 0, lost: 0 }
      for (const [index, stored] of files.entries()) {
        const [first, second] = random() < 0.5 ? NETWORKS : NETWORKS.toReversed()
        const losses = Object.entries(lossOf)
        const worst = index < 20 ? losses[Math.floor(index / 2) % losses.length] : pick(mendsOf(stored.isLarge), random)
        expected[index < 20 ? 'lost' : 'mended'] += 1
        await t.hurt(must(worst)[1].hurt, stored, must(first) as Name)
        await t.hurt(pick(mendsOf(stored.isLarge), random)[1].hurt, stored, must(second) as Name)
        expected.mended += 1
      }
      await heal(files)
      const told = await t.database.sql<{ type: string; count: number }>(
        `select type, count(*)::int from event where type in ('copy.mended', 'file.copy_lost', 'file.error') group by type`,
      )
      expect(Object.fromEntries(told.map(({ type, count }) => [type, count]))).toEqual({
        'copy.mended': expected.mended,
        'file.copy_lost': expected.lost,
      })
      const fresh = await t.configure(both)
      await inBatches(files, async (stored) => {
        expect(await t.read(stored.file.id)).toMatchObject({ status: 'cold', errorCode: null })
        await expectReadable(stored, fresh)
      })
    })
  })

  it('a copy that a check repaired serves reads after the other copy is destroyed', async () => {
    await withSeed(async (random) => {
      const kinds = SIZES.flatMap((size) => mendsOf(size > 1_048_576).map(([kind, { hurt }]) => ({ size, kind, hurt })))
      const files: Stored[] = []
      await inBatches(kinds, async ({ size, kind, hurt }) => {
        const stored = await t.newFile(kind, size)
        await t.hurt(hurt, stored, 'lake')
        await t.assignCopies(stored.file.id, 'due_at = now()')
        files.push(stored)
      })
      await t.c.check('lake')
      for (const stored of files) await t.hurt(pick(Object.values(lossOf), random).hurt, stored, 'attic')
      const fresh = await t.configure(both)
      for (const { file, body } of files) expect((await fresh.bytesOf(file)) === body, body.slice(0, 30)).toBe(true)
      await heal(files)
      for (const stored of files) {
        await expectReadable(stored, await t.configure(both))
        expect(await t.hasEvent(stored.file, 'file.error')).toBe(false)
      }
    })
  })
})

describe('the only remaining copy, when it is damaged', () => {
  const kinds: Record<string, { hurt: Hurt }> = { ...mendable, 'content flipped': must(lossOf['content flipped']) }

  it('is unavailable to readers, not lost, until its check decides', async () => {
    const files = new Map<string, Stored>()
    await inBatches(Object.entries(kinds), async ([kind, { hurt }]) => {
      const stored = await t.newFile(kind)
      await t.hurt(must(lossOf['both gone']).hurt, stored, 'attic')
      await t.hurt(hurt, stored, 'lake')
      files.set(kind, stored)
    })
    const fresh = await t.configure(both)
    const answerOf = ({ file, body }: Stored) =>
      fresh.bytesOf(file).then(
        (bytes) => (bytes === body ? 'intact' : 'other bytes'),
        ({ code }: { code: string }) => code,
      )
    const answers = async () =>
      Object.fromEntries(await Promise.all([...files].map(async ([kind, stored]) => [kind, await answerOf(stored)])))
    expect(await answers()).toEqual(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 'unavailable'])))
    for (const name of NETWORKS) await fresh.check(name)
    expect(await answers()).toEqual({
      ...Object.fromEntries(Object.keys(mendable).map((kind) => [kind, 'intact'])),
      'content flipped': 'content_lost',
    })
  })
})

describe('a copy with a lost sidecar', () => {
  const loseSidecar: Hurt = (path) => rm(`${path}.dag`)

  it('is checked at once when a further copy needs it or a client reads it', async () => {
    const isDue = async (file: Id) => must((await t.copy(file, 'lake')).dueAt).getTime() <= Date.now()
    const [source, read] = [await t.newFile('source'), await t.newFile('read')]
    for (const stored of [source, read]) await t.hurt(loseSidecar, stored, 'lake')
    const lost = `state = 'planned', lost_at = now(), due_at = now()`
    await t.database.sql(`update copy set ${lost} where file_id = $1 and network = 'attic'`, [source.file.id])
    await t.hurt(must(lossOf['content deleted']).hurt, source, 'attic')
    const fresh = await t.configure(both)
    expect([await isDue(source.file), await isDue(read.file)]).toEqual([false, false])
    await fresh.store(source.file, 'attic')
    expect(await t.hasEvent(source.file, 'store.failed')).toBe(true)
    expect((await fresh.bytesOf(read.file)) === read.body).toBe(true)
    expect([await isDue(source.file), await isDue(read.file)]).toEqual([true, true])
    await fresh.check('lake')
    await t.assignCopies(source.file.id, 'due_at = now()')
    await fresh.store(source.file, 'attic')
    expect(await t.copy(source.file, 'attic')).toMatchObject({ state: 'stored' })
  })

  it('does not block the eviction of its file or the emptying of a leaving network forever', async () => {
    const [evicting, leaving] = [await t.hotFile('x'.repeat(1_100_000)), await t.newFile('leaving')]
    for (const name of NETWORKS) await t.c.store(evicting, name)
    for (const name of NETWORKS) await t.c.prove(evicting, name)
    await t.c.evict(evicting)
    await rm(`${await t.pathOf(evicting, 'lake')}.dag`)
    await t.c.evict(evicting)
    expect(await t.read(evicting.id)).toMatchObject({ status: 'synced' })
    await t.c.check('lake')
    await t.c.evict(evicting)
    expect(await t.read(evicting.id)).toMatchObject({ status: 'cold' })

    await t.hurt(loseSidecar, leaving, 'lake')
    const after = await t.configure({ lake: 'required', attic: 'leaving' })
    await after.walk()
    await t.assignCopies(leaving.file.id, `due_at = case when state = 'dropping' then now() else due_at end`)
    await after.drop('attic')
    expect(await t.states(leaving.file)).toEqual({ attic: 'dropping', lake: 'proved' })
    await after.check('lake')
    await t.assignCopies(leaving.file.id, `due_at = case when state = 'dropping' then now() else due_at end`)
    await after.drop('attic')
    expect(await t.states(leaving.file)).toEqual({ attic: 'dropped', lake: 'proved' })
    expect((await after.bytesOf(leaving.file)) === leaving.body).toBe(true)
  })

  it('clears the error of a file when its owner retries and the content is restored', async () => {
    const stored = await t.newFile('back')
    await t.hurt(must(lossOf['both gone']).hurt, stored, 'attic')
    await t.hurt(loseSidecar, stored, 'lake')
    const path = await t.pathOf(stored.file, 'lake')
    await rename(path, `${path}.hidden`)
    await t.makeDue(stored.file.id)
    for (const name of NETWORKS) await t.c.check(name)
    for (const name of NETWORKS) await t.c.store(stored.file, name)
    expect(await t.read(stored.file.id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })

    await rename(`${path}.hidden`, path)
    await t.c.store(stored.file, 'lake')
    expect(await t.read(stored.file.id)).toMatchObject({ status: 'error' })
    const deps = { db: t.db, hotTier: t.hotTier, networks: t.networks, settleSeconds: 0 }
    await t.assign(stored.file.id, `errored_at = now() - interval '1 hour'`)
    const seen = { ...(await t.read(stored.file.id)), seenAt: new Date() }
    expect(await retryFile(deps, seen, { signal: never })).toEqual({ outcome: 'no_bytes' })
    await t.c.store(stored.file, 'lake')
    expect(await t.read(stored.file.id)).toMatchObject({ status: 'cold', errorCode: null })
    expect(await t.hasEvent(stored.file, 'copy.mended')).toBe(true)
  })
})
