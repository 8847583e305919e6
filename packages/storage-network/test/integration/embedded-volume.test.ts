import { randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NetworkFault } from '../../src/errors.ts'
import type { CopyName, StagedBlob, StorageNetwork } from '../../src/storage-network.ts'
import { bodyOf, codeOf, factsOf, newReference, store, storeNot } from '../copies.ts'
import {
  createEmbeddedDirectory,
  type EmbeddedDirectory,
  openDirectory,
  setUpDirectory,
} from '../embedded-directory.ts'

const signal = new AbortController().signal
const MARKER = 'tideport-network.json'

describe('embedded: a missing or foreign volume', () => {
  let embedded: EmbeddedDirectory
  let staged: StagedBlob
  let copy: CopyName
  const bytes = randomBytes(50)
  const expected = factsOf(bytes)
  beforeEach(async () => {
    embedded = await createEmbeddedDirectory()
    copy = await store(embedded.network, bytes)
    staged = await embedded.network.stage(bodyOf(bytes), { reference: newReference(), signal })
  })
  afterEach(async () => await embedded[Symbol.asyncDispose]())
  const away = () => `${embedded.dir}.away`

  /** Every call that could report a copy as absent or removed, or create something. */
  const everyCall = (network: StorageNetwork): Record<string, () => Promise<unknown>> => ({
    prove: () => network.prove(copy, expected, signal),
    stat: () => network.stat(copy, signal),
    open: () => network.open(copy, { signal }),
    'open any': () => network.open({ blobId: copy.blobId }, { signal }),
    renew: () => network.renew(copy, signal),
    remove: () => network.remove(copy, signal),
    stage: () => network.stage(bodyOf(bytes), { reference: newReference(), signal }),
    health: () => network.health(signal),
    'health of a reader': () => network.health(signal, { toStore: false }),
    space: () => network.space(signal),
  })

  async function expectUnreachable(fault: NetworkFault, network = embedded.network) {
    for (const [name, call] of Object.entries(everyCall(network))) {
      await expect(call(), name).rejects.toMatchObject({ code: 'unreachable', fault })
    }
  }

  it('is unreachable, never empty, creates nothing at its mount point, and works again once mounted', async () => {
    await rename(embedded.dir, away())
    await expectUnreachable('missing')
    await expect(staged.commit()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    expect(await codeOf(embedded.network.stat({ ...copy, blobId: 'no blob id' }, signal))).toBe('unreachable')

    await mkdir(embedded.dir)
    await expectUnreachable('missing')
    await expect(staged.commit()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    expect(await readdir(embedded.dir)).toEqual([])
    // An earlier version may have left this under the mount point.
    await mkdir(join(embedded.dir, 'staging'))
    await expectUnreachable('missing')
    expect(await readdir(embedded.dir, { recursive: true })).toEqual(['staging'])

    await rm(embedded.dir, { recursive: true })
    const early = openDirectory(embedded.dir)
    expect(await codeOf(early.health(signal))).toBe('unreachable')
    await rename(away(), embedded.dir)
    for (const network of [embedded.network, early]) {
      expect(await network.prove(copy, expected, signal)).toMatchObject({ ok: true })
    }
    await staged.commit()
    await embedded.network.health(signal)
  })

  it('never changes the volume of another installation or network', async () => {
    await expectUnreachable('foreign', embedded.open({ installationId: async () => 'another' }))
    await expectUnreachable('foreign', embedded.open({ name: 'disk-b' }))
    await writeFile(join(embedded.dir, MARKER), '{"installation":"test-installation","network":"lake"}')
    await expectUnreachable('foreign')
    expect((await readdir(embedded.dir)).sort()).toEqual([copy.blobId, 'staging', MARKER].sort())
  })

  it('detects immediately that another volume was mounted over its own', async () => {
    await using other = await createEmbeddedDirectory()
    await embedded.network.health(signal)
    await rename(embedded.dir, away())
    await writeFile(join(other.dir, MARKER), '{"installation":"another","network":"disk-a"}')
    await cp(other.dir, embedded.dir, { recursive: true })
    await expectUnreachable('foreign')
  })

  it('is unreachable while the marker cannot be read', async () => {
    await writeFile(join(embedded.dir, MARKER), '{"installation":')
    await expectUnreachable('unreadable')
    await rm(join(embedded.dir, MARKER))
    await mkdir(join(embedded.dir, MARKER))
    await expectUnreachable('unreadable')
    await rm(join(embedded.dir, MARKER), { recursive: true })
    await symlink(MARKER, join(embedded.dir, MARKER))
    await expectUnreachable('unreadable')
  })

  it('accepts its volume after it was copied to another directory', async () => {
    await cp(embedded.dir, away(), { recursive: true })
    expect(await openDirectory(away()).prove(copy, expected, signal)).toMatchObject({ ok: true })
  })

  it('concludes nothing while the installation ID is unavailable', async () => {
    const unknown = embedded.open({ installationId: () => Promise.reject(new Error('No database')) })
    for (const [name, call] of Object.entries(everyCall(unknown)))
      await expect(call(), name).rejects.toThrow('No database')
  })
})

describe('embedded: set-up of a volume', () => {
  let embedded: EmbeddedDirectory
  beforeEach(async () => {
    embedded = await createEmbeddedDirectory()
  })
  afterEach(async () => await embedded[Symbol.asyncDispose]())
  const unmark = () => rm(join(embedded.dir, MARKER))

  it('creates and marks a directory, and can be repeated', async () => {
    const dir = join(embedded.dir, 'deep', 'down')
    await expect(openDirectory(dir).health(signal)).rejects.toMatchObject({ fault: 'missing' })
    expect(await setUpDirectory(dir)).toBe('set_up')
    expect(await setUpDirectory(dir)).toBe('was_set_up')
    await Promise.all(Array.from({ length: 5 }, () => setUpDirectory(join(embedded.dir, 'at-once'))))
    for (const made of [dir, join(embedded.dir, 'at-once')]) {
      await openDirectory(made).health(signal)
      expect((await readdir(made)).sort()).toEqual(['staging', MARKER])
    }
  })

  it('marks an unmarked directory that contains a remembered copy', async () => {
    const copy = await store(embedded.network, randomBytes(5))
    await unmark()
    expect(await setUpDirectory(embedded.dir, { remembered: [copy] })).toBe('set_up')
    expect(await embedded.network.stat(copy, signal)).toMatchObject({ state: 'present' })
  })

  it('refuses a directory without the remembered copies, unless they are accepted as lost', async () => {
    const remembered = [await storeNot(embedded.network, randomBytes(5))]
    await rm(embedded.dir, { recursive: true })
    await expect(setUpDirectory(embedded.dir, { remembered })).rejects.toThrow('Is the volume mounted?')
    await expect(readdir(embedded.dir)).rejects.toThrow('ENOENT')
    expect(await setUpDirectory(embedded.dir, { remembered, acceptLostCopies: true })).toBe('set_up')
    expect(await setUpDirectory(embedded.dir, { remembered })).toBe('was_set_up')
  })

  it('refuses a directory with a foreign marker, or with copies that nobody remembers', async () => {
    const installationId = async () => 'another'
    await store(embedded.network, randomBytes(5))
    for (const acceptLostCopies of [false, true]) {
      const setUp = { installationId, acceptLostCopies }
      await expect(setUpDirectory(embedded.dir, setUp)).rejects.toMatchObject({ fault: 'foreign' })
    }
    await unmark()
    await expect(setUpDirectory(embedded.dir, { installationId })).rejects.toThrow('another network or installation')
  })

  it('distinguishes networks of one installation with any valid names', async () => {
    await store(embedded.network, randomBytes(5))
    for (const acceptLostCopies of [false, true]) {
      const setUp = { name: 'disk-b', acceptLostCopies }
      await expect(setUpDirectory(embedded.dir, setUp)).rejects.toMatchObject({ fault: 'foreign' })
    }
    const names = ['a', '0', '-', 'disk-a-', 'd'.repeat(32), 'd'.repeat(31)]
    const dirOf = (name: string) => join(embedded.dir, '..', `of-${name}`)
    for (const name of names) expect(await setUpDirectory(dirOf(name), { name })).toBe('set_up')
    for (const own of names) {
      for (const name of names) {
        const health = openDirectory(dirOf(own), { name }).health(signal)
        if (name === own) await health
        else await expect(health).rejects.toMatchObject({ code: 'unreachable', fault: 'foreign' })
      }
    }
    await unmark()
    await expect(setUpDirectory(embedded.dir, { name: 'disk-b' })).rejects.toThrow('another network or installation')
  })
})
