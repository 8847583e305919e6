import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { insertFiles, limitedKey } from '../client.ts'
import { makeCold } from '../later-states.ts'
import { ownerOfMany } from '../owner-of-many.ts'
import { readZip } from '../read-zip.ts'

const t = sharedBundle({ logLevel: 'error', env: { ARCHIVE_FILES_MAX: '50' } })

async function owner() {
  const client = await ownerOfMany(t)
  const archive = (prefix = '', headers: Record<string, string> = {}) =>
    client.call('GET', `/api/vaults/${client.vaultId}/archive${prefix && `?prefix=${encodeURIComponent(prefix)}`}`, {
      headers,
    })
  return { ...client, archive }
}

describe('the archive of a vault', () => {
  it('contains the latest confirmed file at each path, hot or cold, with the same bytes each time', async () => {
    const client = await owner()
    await client.send('b/é ü.txt')
    const cold = await client.send('a/cold')
    await makeCold(t, cold)
    await client.send('a/twice')
    const content = `/api/vaults/${client.vaultId}/content`
    await client.call('PUT', `${content}/a/twice`, { body: 'the last' })
    await client.call('PUT', `${content}/empty`, { body: '' })
    await client.call('DELETE', `/api/files/${await client.send('gone')}`)
    await client.requestUpload({ sizeBytes: 5, vaultId: client.vaultId })
    const first = await client.archive()
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toBe('application/zip')
    expect(readZip(first.bytes)).toEqual([
      { name: 'a/cold', bytes: 'hello' },
      { name: 'a/twice', bytes: 'the last' },
      { name: 'b/é ü.txt', bytes: 'hello' },
      { name: 'empty', bytes: '' },
    ])
    const again = await client.archive()
    expect(again.bytes.equals(first.bytes)).toBe(true)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect((await client.archive('', { 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304)
    expect(readZip((await client.archive('a/')).bytes).map(({ name }) => name)).toEqual(['a/cold', 'a/twice'])
    expect(readZip((await client.archive('nothing')).bytes)).toEqual([])
    await client.send('new')
    expect((await client.archive('', { 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(200)
  })

  it('resumes at any byte, with or without known checksums, and HEAD returns its length', async () => {
    const client = await owner()
    for (const path of ['a', 'b/c', 'd']) await client.send(path)
    const head = await client.call('HEAD', `/api/vaults/${client.vaultId}/archive`)
    const length = Number(head.headers.get('content-length'))
    const forget = () => t.database.sql('update file set crc32 = null where vault_id = $1', [client.vaultId])
    const tails: Buffer[] = []
    const starts = Array.from({ length: Math.ceil(length / 5) }, (_, n) => n * 5)
    for (const start of starts) {
      await forget()
      const { status, bytes, headers } = await client.archive('', { range: `bytes=${start}-` })
      expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${length - 1}/${length}`])
      tails.push(bytes)
    }
    const whole = tails[0] as Buffer
    expect(readZip(whole)).toHaveLength(3)
    for (const [index, start] of starts.entries()) {
      expect(tails[index]?.equals(whole.subarray(start)), String(start)).toBe(true)
    }
    for (let start = 0; start < length; start += 7) {
      const { bytes } = await client.archive('', { range: `bytes=${start}-${start + 6}` })
      expect(bytes.equals(whole.subarray(start, start + 7))).toBe(true)
    }
    expect((await client.archive('', { range: `bytes=${length}-` })).status).toBe(416)
  })

  it('resumes within block headers, file bytes, and descriptors of a file with several blocks', async () => {
    const client = await owner()
    const bytes = Buffer.from(Array.from({ length: 140_000 }, (_, index) => (index * 7 + (index >> 9)) & 0xff))
    await client.call('PUT', `/api/vaults/${client.vaultId}/content/blocks`, { body: bytes })
    await client.send('next')
    const { bytes: whole, headers } = await client.archive()
    expect(readZip(whole).map(({ name }) => name)).toEqual(['blocks', 'next'])
    const etag = headers.get('etag') ?? ''
    const first = 30 + 'blocks'.length + 9
    const [second, third] = [first + 65_540, first + 2 * 65_540]
    const behind = first + bytes.length + 3 * 5
    const places = [first, second, third].flatMap((at) => [at - 1, at, at + 1, at + 4, at + 5, at + 6])
    for (const start of [...places, behind - 1, behind, behind + 3, behind + 16]) {
      await t.database.sql('update file set crc32 = null where vault_id = $1', [client.vaultId])
      const tail = await client.archive('', { range: `bytes=${start}-`, 'if-range': etag })
      expect([tail.status, tail.bytes.equals(whole.subarray(start))], String(start)).toEqual([206, true])
    }
    for (const [start, end] of [
      [second, second + 4],
      [second + 2, second + 2],
      [first + 3, third + 3],
      [second - 3, second + 5],
    ] as const) {
      const part = await client.archive('', { range: `bytes=${start}-${end}` })
      expect(part.bytes.equals(whole.subarray(start, end + 1)), `${start}-${end}`).toBe(true)
    }
    const old = await client.archive('', { range: `bytes=${second}-`, 'if-range': '"zip-of-another-format"' })
    expect([old.status, old.bytes.equals(whole)]).toEqual([200, true])
  })

  it('saves the checksums of files that it has read', async () => {
    const client = await owner()
    for (const path of ['a', 'b']) await client.send(path)
    await client.archive()
    const known = () => t.database.sql('select crc32::bigint as crc from file where vault_id = $1', [client.vaultId])
    await waitFor(async () => (await known()).every(({ crc }) => crc !== null), { what: 'the checksums to be kept' })
    expect(await known()).toEqual([{ crc: String(crc32('hello')) }, { crc: String(crc32('hello')) }])
  })

  it('applies key limits, and is rejected for too many files or for lost bytes', async () => {
    const client = await owner()
    const [a] = [await client.send('a'), await client.send('x/b')]
    const elsewhere = limitedKey(t, client, { vaultIds: [newAccount()] })
    expect((await elsewhere.call('GET', `/api/vaults/${client.vaultId}/archive`)).status).toBe(404)
    const poor = limitedKey(t, client, { budgets: [{ id: newAccount(), bytesPerDay: 100 }] })
    expect((await poor.call('GET', `/api/vaults/${client.vaultId}/archive`)).body.code).toBe('key_bytes_spent')
    await t.database.sql(`update file set hot_key = null, status = 'error' where id = $1`, [a])
    expect(await client.archive()).toMatchObject({ status: 410, body: { details: { fileId: a, path: 'a' } } })
    expect((await client.archive('x/')).status).toBe(200)
    await insertFiles(t, client, 51, { folder: `'many/'`, synced_at: 'now()' })
    expect(await client.archive('many/')).toMatchObject({ status: 413, body: { details: { filesMax: 50 } } })
  })

  it('breaks the connection when a file is deleted permanently during the download', async () => {
    const client = await owner()
    await client.send('a')
    const b = await client.send('b')
    await t.database.sql(`update file set hot_key = 'not there' where id = $1`, [b])
    await expect(client.archive()).rejects.toThrow()
  })

  it('opens in other programs', async ({ skip }) => {
    const client = await owner()
    for (const path of ['a', 'b/c']) await client.send(path)
    await client.hotFile('x', { vaultId: client.vaultId, name: '..' })
    await using dir = await createTemporaryDirectory('archive')
    const path = join(dir.path, 'vault.zip')
    await writeFile(path, (await client.archive()).bytes)
    const python =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.namelist())'
    const run = promisify(execFile)
    const { stdout } = await run('python3', ['-c', python, path]).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') skip('there is no Python')
      throw error
    })
    expect(stdout.trim()).toBe(`['%2E%2E', 'a', 'b/c']`)
  })
})
