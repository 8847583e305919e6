import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { openBytes } from '../../src/copies/open-bytes.ts'
import { createReadSpeeds, type ReadSpeeds } from '../../src/copies/read-speeds.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { must, never } from '../bundle.ts'
import { setupNetworks } from '../networks-bundle.ts'

const t = setUpOnce(setup)

type Open = StorageNetwork['open']

interface Reading {
  speeds?: ReadSpeeds
  signal?: AbortSignal
  openB?: Open
}

/** A cold file on two networks. The test controls how the first one opens. */
async function setup() {
  const t = await setupNetworks('a', 'b')
  const c = await t.configure({ a: 'required', b: 'required' })
  let file: FileRow
  return {
    ...t,
    async startOver() {
      await t.startOver()
      file = await c.coldFile('hello')
    },
    async read(openA: (open: Open) => Open, { speeds = createReadSpeeds([]), signal = never, openB }: Reading = {}) {
      const asked: string[] = []
      const get = (name: string) => {
        const network = must(c.networks.get(name))
        const open = name === 'a' ? openA(network.open) : (openB ?? network.open)
        const counted: Open = (...given) => {
          asked.push(name)
          return open(...given)
        }
        return { ...network, open: counted }
      }
      const deps = { db: t.db, hotTier: t.hotTier, networks: { ...c.networks, speeds, get } }
      const { bytes, source } = await openBytes(deps, await t.found(file.id), undefined, signal)
      return { text: (await buffer(bytes)).toString(), source, asked }
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  }
}

const hang: Open = (_copy, { signal }) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const late = (open: Open): Open => {
  return async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return await open(...given)
  }
}

describe('a read of a cold file', () => {
  it('uses another copy when a network does not respond, and abandons the first attempt', async () => {
    let given: AbortSignal | undefined
    const read = await t.read(() => (copy, options) => {
      given = options.signal
      return hang(copy, options)
    })
    expect(read).toEqual({ text: 'hello', source: 'b', asked: ['a', 'b'] })
    expect(given?.aborted).toBe(true)
  })

  it('closes the late response of a slow network, and tries this network last from then on', async () => {
    const speeds = createReadSpeeds([])
    const answered = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<Readable>()
    const slow = (open: Open): Open => {
      return async (copy, { range }) => {
        await answered.promise
        const bytes = await open(copy, { range, signal: never })
        opened.resolve(bytes)
        return bytes
      }
    }
    expect((await t.read(slow, { speeds })).source).toBe('b')
    answered.resolve()
    await new Promise((resolve) => void opened.promise.then((bytes) => bytes.once('close', resolve)))
    for (let count = 0; count < 8; count += 1) speeds.note('a', 2_000)
    for (let count = 0; count < 8; count += 1) speeds.note('b', 20)
    expect((await t.read(slow, { speeds })).asked).toEqual(['b'])
  })

  it('waits for the network when too many reads had a second attempt, and tries the next one on failure', async () => {
    const speeds = { ...createReadSpeeds([]), patienceMs: () => 1, mayHedge: () => false }
    expect(await t.read(late, { speeds })).toMatchObject({ source: 'a', asked: ['a'] })
    await expect(t.read(() => hang, { speeds, signal: AbortSignal.timeout(100) })).rejects.toThrow()
  })

  it('continues when the second attempt fails', async () => {
    const speeds = { ...createReadSpeeds([]), patienceMs: () => 1 }
    const refuse: Open = () => Promise.reject(new Error('Too many downloads are under way'))
    const read = await t.read(late, { speeds, openB: refuse })
    expect(read).toEqual({ text: 'hello', source: 'a', asked: ['a', 'b'] })
  })
})
