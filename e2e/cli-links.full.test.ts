import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createVault, listFiles, listVaults, upload } from '@tideport/sdk'
import { expect, test } from 'vitest'
import { cliAccount } from './support/cli-account.ts'

const rebuild = fileURLToPath(new URL('../docs/guides/rebuild.mjs', import.meta.url))

/** A user with files in the service, and a folder of another user. */
async function userWithFiles() {
  const user = await cliAccount()
  await user.write({ 'in/a': 'in/a', 'in/deep/b': 'in/deep/b', 'theirs/b': 'theirs/b' })
  expect(await user.tideport(['sync', 'in', 'default:in'])).toMatchObject({ code: 0 })
  return user
}

test.concurrent('nothing is written or deleted through a link below the named folder', async () => {
  await using user = await userWithFiles()
  const { tideport, at, read } = user
  await mkdir(at('copy'))
  await symlink(at('theirs'), at('copy/deep'))
  const untouched = async () => {
    expect(await readdir(at('theirs'))).toEqual(['b'])
    expect(await read('theirs/b')).toBe('theirs/b')
  }
  const told = { code: expect.toBeOneOf([1, 3]), stderr: expect.stringContaining('copy/deep is a symbolic link') }
  for (const args of [[], ['--delete']]) {
    expect(await tideport(['sync', 'default:in', 'copy', ...args])).toMatchObject(told)
    expect(await read('copy/a')).toBe('in/a')
    await untouched()
  }
  await mkdir(at('down'))
  await symlink(at('copy'), at('down/in'))
  for (const args of [[], ['--overwrite']]) {
    const all = await tideport(['download', 'default:in', '--to', 'down', ...args])
    expect(all).toMatchObject({ code: 1, stderr: expect.stringContaining('down/in is a symbolic link') })
    await untouched()
  }
  // The named folder itself may be a link.
  await symlink(at('in'), at('named'))
  expect(await tideport(['sync', 'default:in', 'named'])).toMatchObject({ code: 0, stdout: '' })
  expect(await tideport(['download', 'default:in/a', '--to', 'named'])).toMatchObject({ code: 0 })
})

test.concurrent('a link at the path of a resumable download is replaced, and its target stays', async () => {
  await using user = await userWithFiles()
  const { tideport, at, write, read } = user
  const content = randomBytes(17 * 1024 ** 2)
  await write({ film: content })
  const [{ fileId }] = (await tideport(['upload', 'film', '--json'])).values()
  await mkdir(at('to'))
  await symlink(at('theirs/b'), at(`to/.tideport-${fileId}.part`))
  expect(await tideport(['download', 'default:film', '--to', 'to'])).toMatchObject({ code: 0 })
  expect(content.equals(await readFile(at('to/film')))).toBe(true)
  expect(await read('theirs/b')).toBe('theirs/b')
})

/** An export of one file, and its folder from rebuild.mjs. */
async function exported() {
  const user = await userWithFiles()
  const { tideport, folder, client } = user
  const vault = await createVault(client, { name: 'Kept', visibility: 'public' })
  await upload(client, new TextEncoder().encode('kept'), { vaultId: vault.id, fields: { path: 'kept' } })
  expect(await tideport(['export', 'out'])).toMatchObject({ code: 0 })
  await run(folder, 'out', 'all')
  return user
}

const run = (cwd: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [rebuild, ...args], { cwd, env: {} })

test.concurrent('an export from another user reads and writes nothing outside its folder', async () => {
  await using user = await exported()
  await using other = await cliAccount()
  const { at, read } = user
  const linked = async (path: string, to: string) => {
    await rm(at(path))
    await symlink(at(to), at(path))
  }
  const cars = (await readdir(at('out'))).filter((name) => name.endsWith('.car'))
  for (const name of cars) {
    await rename(at(`out/${name}`), at(`theirs/${name}`))
    await symlink(at(`theirs/${name}`), at(`out/${name}`))
  }
  await linked('all/kept/kept', 'theirs/b')
  for (const folder of ['out', 'all']) {
    const run = await other.tideport(['import', at(folder)])
    expect(run).toMatchObject({ code: expect.toBeOneOf([1, 3]), stderr: expect.stringContaining('symbolic link') })
    // The next run rewrites its journal.
    const [journal] = (await readdir(at(folder))).filter((name) => /^\.tideport-import-[0-9a-f]+$/.test(name))
    await symlink(at('theirs/b'), at(`${folder}/${journal}.new`))
    expect(await other.tideport(['import', at(folder)])).toMatchObject({ code: run.code })
  }
  expect(await read('theirs/b')).toBe('theirs/b')
  const { vaults } = await listVaults(other.client).page()
  const { files } = await listFiles(other.client, { vaultId: vaults.find(({ slug }) => slug === 'kept')?.id }).page()
  expect(files).toEqual([])
})

test.concurrent('a manifest from another user is rebuilt inside the named directory, or not at all', async () => {
  await using user = await exported()
  const { folder, at, write } = user
  const manifests = (await readdir(at('out'))).filter((name) => name.startsWith('manifest-')).toSorted()
  const texts = await Promise.all(manifests.map((name) => readFile(at(`out/${name}`), 'utf8')))
  const lines = texts.join('').trimEnd().split('\n').map((line) => JSON.parse(line)) // biome-ignore format: one chain
  const file = lines.find(({ type, path }) => type === 'file' && path === 'kept')
  Object.assign(file, { id: 'x/../../../../outside', isLatest: false })
  await write({ 'out/theirs.ndjson': lines.map((line) => `${JSON.stringify(line)}\n`).join('') })
  await run(folder, 'out/theirs.ndjson', 'deep/er/than')
  expect(await readdir(at('deep/er'))).toEqual(['than'])
  expect(await readdir(at('deep/er/than'))).toContain('kept')
  expect(await readdir(folder)).not.toContain('outside')

  await mkdir(at('again'))
  await symlink(at('theirs'), at('again/kept'))
  await expect(run(folder, 'out', 'again')).rejects.toThrow('symbolic link')
  expect(await readdir(at('theirs'))).toEqual(['b'])
})

test.concurrent('blob IDs and references of copies never lead rebuild.mjs outside the given networks', async () => {
  await using user = await userWithFiles()
  const { folder, at, write, read } = user
  await write({ 'network/content/good': 'good' })
  await symlink(at('theirs'), at('network/linked'))
  await symlink(at('theirs/b'), at('network/content/linked'))
  const theirs = Buffer.byteLength('theirs/b')
  const copies = [
    { blobId: '..', reference: 'theirs/b' },
    { blobId: '../theirs', reference: 'b' },
    { blobId: 'x', reference: '../../theirs/b' },
    { blobId: 'x', reference: at('theirs/b') },
    { blobId: at('theirs'), reference: 'b' },
    { blobId: 'x', reference: '..\\..\\theirs\\b' },
    { blobId: 'x', reference: '..%2f..%2ftheirs%2fb' },
    { blobId: 'x', reference: 'b\0' },
    { blobId: 'linked', reference: 'b' },
    { blobId: 'x', reference: 'linked' },
    { blobId: 'x', reference: '' },
    { blobId: ['..'], reference: ['theirs/b'] },
  ]
  const fileOf = (copy: object, id: string, sizeBytes: number) =>
    ({ type: 'file', id, path: id, name: id, isLatest: true, sizeBytes, checksumSha256: null, copies: [{ network: 'disk', ...copy }] }) // biome-ignore format: one object
  const files = copies.map((copy, at) => fileOf(copy, `bad-${at}`, theirs))
  const lines = [...files, fileOf({ blobId: 'x', reference: 'good' }, 'good', 4)]
  await write({ 'theirs.ndjson': lines.map((line) => `${JSON.stringify(line)}\n`).join('') })

  const { requests, url, close } = await countRequests()
  const given = { directory: 'network', bucket: `s3+${url}/bucket`, gateway: `${url}/ipfs/{blobId}/{reference}` }
  for (const [name, place] of Object.entries(given)) {
    const args = [rebuild, 'theirs.ndjson', `from-${name}`, '--network', `disk=${place}`]
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
    const failure = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).then(
      () => ({ stderr: '' }),
      (error: { stderr: string }) => error,
    )
    for (const { id } of files) expect(failure.stderr, place).toContain(`${id} "${id}": `)
  }
  close()
  expect(await readdir(at('from-directory/vault'))).toEqual(['good'])
  expect([...requests].filter((path) => !/^\/(bucket\/(x|linked|content)|ipfs\/(x|linked))\/\w*$/.test(path))).toEqual(
    [],
  )

  await symlink(at('theirs/b'), at('records'))
  await mkdir(at('planted'))
  await rename(at('records'), at('planted/records.ndjson'))
  await expect(run(folder, 'theirs.ndjson', 'planted')).rejects.toThrow('symbolic link')
  expect(await read('theirs/b')).toBe('theirs/b')
})

/** A server that returns 404 for every request, and records the requested paths. */
async function countRequests() {
  const requests = new Set<string>()
  const server = createServer(({ url = '' }, response) => {
    requests.add(url)
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { requests, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
