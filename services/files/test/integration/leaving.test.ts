import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { manifestLine } from '@tideport/contracts/public/manifest'
import { createBucket } from '@tideport/testing/s3'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setup } from '../bundle.ts'
import { clientOf, encryption } from '../client.ts'
import { exportedFiles, finishJob, saveAll } from '../exporting.ts'
import { makeCold, makeSynced } from '../later-states.ts'

const script = new URL('../../../../docs/guides/rebuild.mjs', import.meta.url).pathname
const large = Buffer.alloc(3 * 1024 ** 2 + 5, 'tide')

/** Runs the script in a separate directory, and with no environment variables except the given ones. */
function rebuild(args: string[], { cwd, env = {} }: { cwd: string; env?: Record<string, string> }) {
  return new Promise<{ code: number; out: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), out: stdout + stderr })
    })
  })
}

/**
 * Creates an account with files of every kind, saves its manifest, its export, and both networks, and then removes
 * everything else.
 */
async function leave() {
  const stack = new AsyncDisposableStack()
  const home = stack.use(await createTemporaryDirectory('leaving'))
  const networks = stack.use(await createTemporaryDirectory('networks'))
  // Parts of an export are half as long as the largest file.
  const env = { MAX_FILE_BYTES: String(4 * 1024 ** 2), MAX_PUT_BYTES: String(4 * 1024 ** 2) }
  const t = await setup({ networkNames: ['lake', 'sea'], env })
  const client = clientOf(t)
  const [open, sealed] = [await client.createVault('Öffentlich', 'public'), await client.createVault('Mine', 'private')]
  const gone = await client.createVault('Gone', 'public')
  const store = async (path: string, bytes: string | Buffer, more: Record<string, unknown> = {}) => {
    const file = await client.hotFile(bytes, { vaultId: open.id, name: undefined, path, ...more })
    await makeSynced(t, file.id)
    return file
  }
  const files = {
    deep: await store('2026/é/a b.txt', 'hello', { metadata: { camera: 'X100' }, tags: ['sea'] }),
    large: await store('large.bin', large),
    empty: await store('empty', ''),
    // A file and a folder with the same name, two files at one path, and a name that leads outside its folder.
    inFolder: await store('empty/inside.txt', 'inside'),
    first: await store('twice.txt', 'first'),
    second: await store('twice.txt', 'second'),
    up: await client.hotFile('up', { vaultId: open.id, name: '..' }),
    sealed: await store('secret.txt', 'encrypted', { vaultId: sealed.id, ...encryption }),
  }
  await makeSynced(t, files.up.id)
  await makeCold(t, files.deep.id)
  const hot = await client.hotFile('only hot', { vaultId: open.id })
  const trashed = await store('trashed.txt', 'trashed')
  await client.call('DELETE', `/api/files/${trashed.id}`)
  await store('gone.txt', 'gone', { vaultId: gone.id })
  await client.call('DELETE', `/api/vaults/${gone.id}?force=true`)
  await client.requestUpload({ vaultId: open.id, sizeBytes: 3 })

  const answer = await client.call('GET', '/api/account/manifest')
  await writeFile(join(home.path, 'manifest.ndjson'), answer.bytes)
  const begun = await client.call('POST', '/api/account/export', { json: {} })
  const job = await finishJob(t, client, begun.body.id)
  const exported = await exportedFiles(client, job.toVaultId)
  await mkdir(join(home.path, 'export'))
  await saveAll(exported, join(home.path, 'export'))
  for (const name of ['lake', 'sea']) {
    const network = t.config.storageNetworks.find((one) => one.name === name)
    if (network?.driver !== 'embedded') throw new Error(`${name} is no directory`)
    await cp(network.dir, join(networks.path, name), { recursive: true })
  }
  // Removes Postgres, the bucket, and the service.
  await t[Symbol.asyncDispose]()
  return {
    ...{ home: home.path, files, hot, answer, open, sealed, job, exported },
    lake: join(networks.path, 'lake'),
    sea: join(networks.path, 'sea'),
    lines: answer.bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => manifestLine.parse(JSON.parse(line))),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

let left: Awaited<ReturnType<typeof leave>>
beforeAll(async () => {
  left = await leave()
})
afterAll(() => left[Symbol.asyncDispose]())

const contents = () => {
  const { files, open, sealed } = left
  return {
    [`${open.slug}/2026/é/a b.txt`]: 'hello',
    [`${open.slug}/large.bin`]: large.toString(),
    [`${open.slug}/twice.txt`]: 'second',
    [`${open.slug}/twice.txt.~${files.first.id}`]: 'first',
    [`${sealed.slug}/secret.txt`]: 'encrypted',
  }
}

async function expectRebuilt(directory: string): Promise<void> {
  for (const [path, text] of Object.entries(contents()))
    expect((await readFile(join(directory, path))).equals(Buffer.from(text)), path).toBe(true)
  const texts = await readRecords(directory)
  expect(Object.keys(texts).toSorted()).toEqual(Object.values(left.files).map(({ id }) => id).toSorted()) // biome-ignore format: one chain
  for (const [key, text] of Object.entries({ empty: '', inFolder: 'inside', up: 'up' })) {
    const { id } = left.files[key as keyof typeof left.files]
    expect(texts[id], key).toBe(text)
  }
}

/** The content of each recorded file by ID. */
async function readRecords(directory: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(directory, 'records.ndjson'), 'utf8')).split('\n').filter((line) => line !== '')
  const files = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'file')
  const entries = files.map(async ({ id, savedAs }) => {
    return [id, await readFile(join(directory, savedAs), 'utf8')]
  })
  return Object.fromEntries(await Promise.all(entries))
}

describe('a manifest', () => {
  it('has a line for each vault and confirmed file outside the trash, and marks its end', () => {
    const { lines, files, hot, open, answer } = left
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    const [head, end] = [lines.at(0), lines.at(-1)]
    const networks = ['lake', 'sea'].map((name) => ({ name, driver: 'embedded' }))
    expect(head).toMatchObject({ type: 'tideport-manifest', version: 1, networks })
    const told = lines.filter((line) => line.type === 'file')
    const all = [...Object.values(files), hot]
    expect(told.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
    expect(lines.filter((line) => line.type === 'vault').map(({ slug }) => slug)).toContain(open.slug)
    expect(end).toMatchObject({ files: told.length, bytes: told.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) })
    const deep = told.find(({ id }) => id === files.deep.id)
    expect(deep).toMatchObject({ status: 'cold', path: '2026/é/a b.txt', metadata: { camera: 'X100' }, isLatest: true })
    expect(deep?.copies.map(({ network, state }) => [network, state])).toEqual([['lake', 'proved'], ['sea', 'proved']]) // biome-ignore format: one list
    expect(told.find(({ id }) => id === files.first.id)?.isLatest).toBe(false)
    expect(told.find(({ id }) => id === files.sealed.id)).toMatchObject({ wrappedKey: encryption.wrappedKey })
    expect(told.find(({ id }) => id === hot.id)?.copies).toEqual([])
  })
})

describe('when only the directory of a network is left', () => {
  it('restores everything, and names files that were never on a network', async () => {
    const { home, lake, hot } = left
    const { code, out } = await rebuild(['manifest.ndjson', 'all', '--network', `lake=${lake}`], { cwd: home })
    expect(out).toContain('8 files saved, 0 were there already, 1 failed')
    expect(out).toContain(hot.id)
    expect(code).toBe(1)
    await expectRebuilt(join(home, 'all'))
    expect((await readdir(home)).toSorted()).toEqual(['all', 'export', 'manifest.ndjson'])
  })

  it('continues after an interruption and repairs damaged files', async () => {
    const { home, lake, open } = left
    const run = () => rebuild(['manifest.ndjson', 'again', '--network', `lake=${lake}`], { cwd: home })
    await run()
    const path = join(home, 'again', open.slug, '2026/é/a b.txt')
    await rm(path)
    await writeFile(
      join(home, 'again', 'records.ndjson'),
      `${await readFile(join(home, 'again', 'records.ndjson'), 'utf8')}{"id":`,
    )
    expect((await run()).out).toContain('1 files saved, 7 were there already, 1 failed')
    expect(await readFile(path, 'utf8')).toBe('hello')
  })

  it('uses a copy on another network if one is missing or damaged', async () => {
    const { home, lake, sea, lines } = left
    const spoiled = join(home, '..', `${home.split('/').at(-1)}-spoiled`)
    await cp(lake, spoiled, { recursive: true })
    const files = lines
      .filter((line) => line.type === 'file')
      .flatMap(({ copies }) => copies.filter(({ network }) => network === 'lake'))
    for (const [index, { blobId, reference }] of files.entries()) {
      const path = join(spoiled, blobId ?? '', reference)
      await (index % 2 === 0 ? rm(path) : writeFile(path, 'HELLO'))
    }
    const args = ['manifest.ndjson', 'both', '--network', `lake=${spoiled}`]
    expect((await rebuild(args, { cwd: home })).out).toContain('0 files saved')
    const { out } = await rebuild([...args, '--network', `sea=${sea}`], { cwd: home })
    await rm(spoiled, { recursive: true })
    expect(out).toContain('8 files saved')
    await expectRebuilt(join(home, 'both'))
  })

  it('reports a truncated manifest', async () => {
    const { home, lake, answer } = left
    const lines = answer.bytes.toString().trimEnd().split('\n')
    await writeFile(join(home, 'cut.ndjson'), lines.slice(0, -1).join('\n'))
    const { code, out } = await rebuild(['cut.ndjson', 'cut', '--network', `lake=${lake}`], { cwd: home })
    expect([code, out]).toEqual([1, expect.stringContaining('The manifest has no end')])
  })
})

describe('when only an export is left', () => {
  it('restores everything, including files that were only hot or span several CARs', async () => {
    const { home, hot, job, exported } = left
    expect(job).toMatchObject({ kind: 'export', state: 'done', done: 9, failed: 0 })
    const large = [...exported.keys()].filter((name) => name.endsWith('.car'))
    expect(large.length).toBeGreaterThan(1)
    const { code, out } = await rebuild(['export', 'exported'], { cwd: home })
    expect(out).toContain('9 files saved, 0 were there already, 0 failed')
    expect(code).toBe(0)
    const texts = await readRecords(join(home, 'exported'))
    expect(texts[hot.id]).toBe('only hot')
    for (const [path, text] of Object.entries(contents())) {
      expect((await readFile(join(home, 'exported', path))).equals(Buffer.from(text)), path).toBe(true)
    }
    expect((await rebuild(['export', 'exported'], { cwd: home })).out).toContain('0 files saved, 9 were there already')
  })

  it('rejects damaged blocks and names the CAR', async () => {
    const { home, exported } = left
    await cp(join(home, 'export'), join(home, 'spoiled'), { recursive: true })
    const [name, car] = [...exported].find(([one]) => one.endsWith('.car')) as [string, Buffer]
    const bytes = Buffer.from(car)
    bytes[bytes.indexOf('hello')] = 0
    await writeFile(join(home, 'spoiled', name), bytes)
    const { code, out } = await rebuild(['spoiled', 'spoiled-out'], { cwd: home })
    expect([code, out]).toEqual([1, expect.stringContaining(`${name} is spoiled`)])
    expect(out).toContain('8 files saved, 0 were there already, 1 failed')
  })
})

describe('copies on a network that is not a local directory', () => {
  it('are read from a bucket with its access keys', async () => {
    const { home, lake, lines } = left
    using bucket = await createBucket()
    for (const line of lines) {
      if (line.type !== 'file') continue
      const copy = line.copies.find(({ network }) => network === 'lake')
      if (copy === undefined) continue
      const Body = await readFile(join(lake, copy.blobId ?? '', copy.reference))
      // The object keys of the driver for buckets.
      const Key = line.sizeBytes > 1024 ** 2 ? `content/${copy.reference}` : `${copy.blobId}/${copy.reference}`
      await bucket.client.send(new PutObjectCommand({ Bucket: bucket.bucket, Key, Body }))
    }
    const { endpoint, region, accessKeyId, secretAccessKey } = bucket.settings
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region }
    const place = `lake=s3+${endpoint}/${bucket.bucket}`
    const { out } = await rebuild(['manifest.ndjson', 's3', '--network', place], { cwd: home, env })
    expect(out).toContain('8 files saved')
    await expectRebuilt(join(home, 's3'))
  })

  it('are read from any HTTP server that serves them by blob ID, such as an IPFS gateway', async () => {
    const { home, lake } = left
    await mkdir(join(home, 'served'))
    const server = createServer(async (request, response) => {
      const [, ipfs, blobId = ''] = (request.url ?? '').split('/')
      const [reference] =
        ipfs === 'ipfs'
          ? (await readdir(join(lake, blobId)).catch(() => [])).filter((name) => !name.endsWith('.dag'))
          : []
      if (reference === undefined) return void response.writeHead(404).end()
      response.end(await readFile(join(lake, blobId, reference)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const place = `lake=http://127.0.0.1:${port}/ipfs/{blobId}`
    const { out } = await rebuild(['manifest.ndjson', 'served', '--network', place], { cwd: home })
    server.close()
    expect(out).toContain('8 files saved')
    await expectRebuilt(join(home, 'served'))
  })
})
