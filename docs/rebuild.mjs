// Rebuilds an account from its manifest and the storage networks, without Tideport (docs/leaving.md).
// Needs Node 20 or newer, and nothing else.
import { createHash, createHmac } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { appendFile, copyFile, link, mkdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process, { env } from 'node:process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const USAGE = `node rebuild.mjs MANIFEST DIRECTORY --network NAME=PLACE [--network NAME=PLACE …]
PLACE is where the copies of the network NAME are to be had:
  /path/to/directory                 the directory of an embedded network, or a bucket as files
  s3+https://endpoint/bucket         a bucket; AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION
  https://gateway/ipfs/{blobId}      anything that serves a copy by its blob id: an IPFS gateway,
  https://host/v1/blobs/{blobId}     a Walrus aggregator; {reference} is replaced as well`
const AT_ONCE = 4

const [manifest, target, ...rest] = process.argv.slice(2)
const places = new Map()
for (let at = 0; at < rest.length; at += 2) {
  const [, name, place] = /^([^=]+)=(.+)$/.exec(rest[at + 1] ?? '') ?? []
  if (rest[at] !== '--network' || name === undefined) fail(USAGE)
  places.set(name, [...(places.get(name) ?? []), place])
}
if (manifest === undefined || target === undefined || places.size === 0) fail(USAGE)

function fail(sentence) {
  console.error(sentence)
  process.exit(2)
}

/** Where a copy may be found at a place, as functions that open it; each throws, or answers a stream of bytes. */
function openersOf(place, { blobId, reference }) {
  // One leaf lies under its blob id, also in a bucket; more than that there under its reference.
  const keys = [`${blobId}/${reference}`, `content/${reference}`]
  if (/^s3\+https?:/.test(place)) return keys.map((key) => () => get(...signed(place.slice(3), key)))
  if (/^https?:/.test(place)) {
    return [() => get(place.replaceAll('{blobId}', blobId).replaceAll('{reference}', reference))]
  }
  return keys.map((key) => () => Promise.resolve(createReadStream(join(place, key))))
}

async function get(url, headers = {}) {
  const answer = await fetch(url, { headers })
  if (answer.ok && answer.body !== null) return Readable.fromWeb(answer.body)
  await answer.body?.cancel()
  throw new Error(`${new URL(url).host} answers ${answer.status}`)
}

/** A URL and headers for S3: AWS Signature Version 4. */
function signed(bucketUrl, key) {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: region = 'us-east-1' } = env
  if (!id || !secret) throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set')
  const url = new URL(`${bucketUrl.replace(/\/$/, '')}/${key}`)
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers = { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': time }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const request = ['GET', url.pathname, '', lines.join(''), names, 'UNSIGNED-PAYLOAD'].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(request).digest('hex')].join('\n')
  const keyOf = (last, part) => createHmac('sha256', last).update(part).digest()
  const signature = createHmac('sha256', scope.split('/').reduce(keyOf, `AWS4${secret}`))
    .update(text)
    .digest('hex')
  const { host: _, ...sent } = headers
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return [url.href, { ...sent, authorization }]
}

/** Writes what was opened, if it is what the manifest says: size and SHA-256. */
async function write(open, { sizeBytes, checksumSha256 }, path) {
  const hash = createHash('sha256')
  let written = 0
  async function* measured(bytes) {
    for await (const chunk of bytes) {
      written += chunk.length
      if (written > sizeBytes) throw new Error('there are more bytes than the file has')
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(await open(), measured, createWriteStream(path))
  if (written !== sizeBytes) throw new Error(`there are ${written} of ${sizeBytes} bytes`)
  if (hash.digest('hex') !== checksumSha256) throw new Error('the bytes are not those that were stored')
}

/** A part of a path that can be a name on a disk and leads nowhere else. */
function nameOnDisk(part) {
  const isShort = Buffer.byteLength(part) <= 200
  return part === '' || part === '.' || part === '..' || !isShort
    ? `_${createHash('sha256').update(part).digest('hex').slice(0, 16)}`
    : part.replaceAll(/[\\/\0:]/g, '_')
}

/** Where a file goes: its path, or with its id behind that where another one is there, or a folder. */
async function put(part, file, folder) {
  const parts = file.path.split('/').map(nameOnDisk)
  const plain = join(folder, ...parts)
  for (const path of file.isLatest ? [plain, `${plain}.~${file.id}`] : [`${plain}.~${file.id}`]) {
    try {
      await mkdir(dirname(path), { recursive: true })
      // Unlike a rename, replaces nothing; not every disk has links.
      await link(part, path).catch((error) => {
        if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(error.code))
          return copyFile(part, path, constants.COPYFILE_EXCL)
        throw error
      })
      await unlink(part)
      return path
    } catch (error) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes(error.code)) throw error
    }
  }
  // A folder of this name was a file before.
  const path = join(folder, `${nameOnDisk(file.name)}.~${file.id}`)
  await rename(part, path)
  return path
}

async function isThere(path, { sizeBytes, checksumSha256 }) {
  const found = await stat(path).catch(() => null)
  if (found?.isFile() !== true || found.size !== sizeBytes) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex') === checksumSha256
}

const counts = { saved: 0, there: 0, failed: 0 }
const slugs = new Map()
const saved = new Map()
const records = join(target, 'records.ndjson')

async function rebuild(file) {
  const before = saved.get(file.id)
  if (before !== undefined && (await isThere(join(target, before), file))) return void counts.there++
  const part = join(target, `.part-${nameOnDisk(file.id)}`)
  const reasons = []
  for (const copy of file.copies) {
    for (const place of places.get(copy.network) ?? []) {
      for (const open of openersOf(place, copy)) {
        try {
          await write(open, file, part)
          const path = await put(part, file, join(target, slugs.get(file.vaultId) ?? 'vault'))
          const savedAs = path.slice(target.length).replace(/^[/\\]+/, '')
          await appendFile(records, `${JSON.stringify({ ...file, savedAs })}\n`)
          return void counts.saved++
        } catch (error) {
          reasons.push(`${copy.network}: ${error.message}`)
        }
      }
    }
  }
  await rm(part, { force: true })
  counts.failed++
  console.error(
    `${file.id} ${JSON.stringify(file.path)}: ${[...new Set(reasons)].join('; ') || 'no copy on the networks that are given'}`,
  )
}

const linesOf = (path) => createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })

await mkdir(target, { recursive: true })
// What an earlier run has saved; a line that a crash has cut is none.
if (await stat(records).catch(() => null)) {
  await appendFile(records, '\n')
  for await (const line of linesOf(records)) {
    try {
      const { id, savedAs } = JSON.parse(line)
      saved.set(id, savedAs)
    } catch {}
  }
}
let end
const running = new Set()
for await (const line of linesOf(manifest)) {
  const entry = line === '' ? {} : JSON.parse(line)
  if (entry.type === 'tideport-manifest' && entry.version !== 1) fail(`This is for version 1, not ${entry.version}`)
  if (entry.type === 'vault') slugs.set(entry.id, nameOnDisk(entry.slug))
  if (entry.type === 'end') end = entry
  if (entry.type !== 'file') continue
  const work = rebuild(entry).finally(() => running.delete(work))
  running.add(work)
  if (running.size >= AT_ONCE) await Promise.race(running)
}
await Promise.all(running)
const { saved: now, there, failed } = counts
console.log(`${now} files saved, ${there} were there already, ${failed} failed; what is known of each is in ${records}`)
if (end === undefined) console.error('The manifest has no end: it was cut, and there may have been more files')
if (failed > 0 || end?.files !== now + there + failed) process.exitCode = 1
