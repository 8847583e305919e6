import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '@tideport/file-lifecycle/test/bundle'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verify } from '../../src/verify.ts'
import { setupInstallation, type TestInstallation } from '../installation.ts'

let t: TestInstallation
beforeEach(async () => {
  t = await setupInstallation()
})
afterEach(() => t[Symbol.asyncDispose]())

describe('operator verify', () => {
  it('proves every copy by its bytes, and names those that do not hold', async () => {
    await t.hotFile()
    const [good, rotten, gone] = [await t.coldFile('good'), await t.syncedFile('rotten'), await t.coldFile('gone')]
    expect((await t.run(verify, ['--all', '--json'])).rows).toEqual([{ proved: 3, failed: 0, changed: 0, bytes: 14 }])
    await t.directory.corrupt(join(must(rotten.blobId), rotten.id))
    await rm(join(t.directory.path, must(gone.blobId)), { recursive: true })

    const { rows, failure } = await t.run(verify, ['--all', '--json'])
    expect(failure).toBe('2 copies do not hold')
    const outcomes = Object.fromEntries(rows.map(({ fileId, outcome }) => [fileId, outcome]))
    expect(outcomes).toMatchObject({ [rotten.id]: 'mismatch', [gone.id]: 'absent' })
    expect(rows.at(-1)).toEqual({ proved: 1, failed: 2, changed: 0, bytes: 4 })
    for (const file of [good, rotten, gone]) expect((await t.read(file.id)).version).toBe(file.version)
  })

  it('takes one file, or a sample, or the rest after an id', async () => {
    const [first, second] = [await t.coldFile(), await t.coldFile()]
    const proved = async (...args: string[]) => (await t.run(verify, [...args, '--json'])).rows.at(-1)?.proved
    expect(await proved('--file', first.id)).toBe(1)
    expect(await proved('--sample', '50')).toBeGreaterThan(0)
    expect(await proved('--all', '--after', first.id)).toBe(1)
    expect((await t.run(verify, ['--file', crypto.randomUUID()])).failure).toContain('there is no file')
    expect((await t.run(verify, ['--all', '--network', 'walrus'])).failure).toBe('the network is embedded')
    expect(second.id).toBeTruthy()
  })

  it('proves nothing while the volume is not mounted', async () => {
    await t.coldFile()
    await t.takeNetworkDown()
    expect((await t.run(verify, ['--all'])).failure).toContain('marker')
  })
})
