// Rebuilds an account from an export, or from its manifest and the networks, with Node 20 alone (docs/guides/leave.md).
import { createHash, createHmac } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { appendFile, copyFile, link, lstat, mkdir, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { devNull } from 'node:os'
import { basename, dirname, join } from 'node:path'
import process, { env } from 'node:process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const USAGE = `node rebuild.mjs MANIFEST DIRECTORY [--network NAME=PLACE …]
MANIFEST is a file, or the directory of an export. PLACE is where the copies of the network NAME are to be had:
  /path/to/directory                 the directory of an embedded network, or a bucket as files
  s3+https://endpoint/bucket         a bucket; AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION
  https://gateway/ipfs/{blobId}      anything that serves a copy by its blob id: an IPFS gateway,
  https://host/v1/blobs/{blobId}     a Walrus aggregator; {reference} is replaced as well`
const [manifest, target, ...rest] = process.argv.slice(2)
const places = new Map()
for (let at = 0; at < rest.length; at += 2) {
  const [, name, place] = /^([^=]+)=(.+)$/.exec(rest[at + 1] ?? '') ?? []
  if (rest[at] !== '--network' || name === undefined) fail(USAGE)
  places.set(name, [...(places.get(name) ?? []), place])
}
if (manifest === undefined || target === undefined) fail(USAGE)
/** A line in which nothing moves the cursor or turns the direction of writing, whatever a file is called. */
const shown = (line) => line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`)
function fail(sentence) {
  console.error(sentence)
  process.exit(2)
}

/** Where a copy may be found at a place, as functions that open it; each throws, or answers a stream of bytes. */
function openersOf(place, { network, blobId, reference }) {
  // Anything else could lead out of the directory, the bucket, or the URL that was given. A reference may be unknown.
  if (!/^[\w-]{1,128}$/.test(blobId) || !/^[\w-]{0,128}$/.test(reference)) {
    const name = JSON.stringify([blobId, reference])
    return [() => Promise.reject(new Error(`the blob ID or reference of the copy on ${network} is invalid: ${name}`))]
  }
  // One leaf lies under its blob id, also in a bucket; more than that there under its reference.
  const keys = [`${blobId}/${reference}`, `content/${reference}`]
  if (/^s3\+https?:/.test(place)) return keys.map((key) => () => get(...signed(place.slice(3), key)))
  const url = place.replaceAll('{blobId}', blobId).replaceAll('{reference}', reference)
  if (/^https?:/.test(place)) return [() => get(url)]
  return keys.map((key) => () => openBelow(place, key))
}

/** Opens a regular file, through no link below `folder`: a link would lead out of it. */
async function openBelow(folder, key, range) {
  const parts = key.split('/')
  const paths = parts.map((_, at) => join(folder, ...parts.slice(0, at + 1)))
  for (const path of paths) if ((await lstat(path)).isSymbolicLink()) throw new Error(`${path} is a symbolic link`)
  if (!(await lstat(paths.at(-1))).isFile()) throw new Error(`${paths.at(-1)} is not a file`)
  return createReadStream(paths.at(-1), range)
}

/** The bytes of a file in the CARs of an export, each block of which is what its CID says. */
async function* carBytes(parts) {
  for (const { name, offset, length } of parts) {
    const range = { start: offset, end: offset + length - 1 }
    let bytes = Buffer.alloc(0)
    for await (const chunk of await openBelow(home, basename(name), range)) {
      bytes = Buffer.concat([bytes, chunk])
      for (;;) {
        const digits = bytes.findIndex((digit) => digit < 128) + 1
        const size = bytes.subarray(0, digits).reduce((sum, digit, at) => sum + (digit & 127) * 128 ** at, 0)
        // Blocks are of 1 MiB: nothing larger is waited for.
        if (size > 4 * 1024 ** 2 || (digits === 0 && bytes.length > 9)) throw new Error(`${name} is spoiled`)
        if (digits === 0 || bytes.length < digits + size) break
        const [cid, block] = [bytes.subarray(digits, digits + 36), bytes.subarray(digits + 36, digits + size)]
        if (!createHash('sha256').update(block).digest().equals(cid.subarray(4))) throw new Error(`${name} is spoiled`)
        if (cid[1] === 0x55) yield block
        bytes = bytes.subarray(digits + size)
      }
    }
  }
}

async function get(url, headers = {}) {
  const answer = await fetch(url, { headers })
  if (answer.ok && answer.body !== null) return Readable.fromWeb(answer.body)
  await answer.body?.cancel()
  throw new Error(`${new URL(url).host} answers ${answer.status}`)
}

/** A URL and headers for S3: AWS Signature Version 4. */
function signed(bucketUrl, key) {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_REGION = '' } = env
  const [id, secret, region] = [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION].map((text) => text.trim())
  if (!id || !secret) throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set')
  const url = new URL(`${bucketUrl.replace(/\/$/, '')}/${key}`)
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region || 'us-east-1'}/s3/aws4_request`
  const headers = { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': time }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const request = ['GET', url.pathname, '', lines.join(''), names, 'UNSIGNED-PAYLOAD'].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(request).digest('hex')].join('\n')
  const keyOf = (last, part) => createHmac('sha256', last).update(part).digest()
  const signature = keyOf(scope.split('/').reduce(keyOf, `AWS4${secret}`), text).toString('hex')
  const { host: _, ...sent } = headers
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return [url.href, { ...sent, authorization }]
}

/** Writes what was opened, if it is what the manifest says: size and SHA-256. */
async function write(opener, { sizeBytes, checksumSha256 }, path) {
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
  await pipeline(await opener(), measured, createWriteStream(path))
  if (written !== sizeBytes) throw new Error(`there are ${written} of ${sizeBytes} bytes`)
  const digest = hash.digest('hex')
  if ((checksumSha256 ?? digest) !== digest) throw new Error('the bytes are not those that were stored')
  return true
}

/** A part of a path that can be a name on a disk and leads nowhere else. */
function nameOnDisk(part) {
  const isFit = !['', '.', '..'].includes(part) && Buffer.byteLength(part) <= 200
  return isFit ? part.replaceAll(/[\\/\0:]/g, '_') : `_${createHash('sha256').update(part).digest('hex').slice(0, 16)}`
}

/** Makes the folders of a path, through no link that somebody has put there: it would lead out of the directory. */
async function makeFolders(folder) {
  if (folder === dirname(join(target, 'x'))) return
  await makeFolders(dirname(folder))
  await mkdir(folder).catch((error) => error.code === 'EEXIST' || Promise.reject(error))
  if ((await lstat(folder)).isSymbolicLink()) throw new Error(`${folder} is a symbolic link`)
}

const placeOf = (folder, path) => join(folder, ...path.split('/').map(nameOnDisk))
/** Where a file goes: its path, or with its id behind that where another one is there, or a folder. */
async function put(part, file, folder) {
  const plain = placeOf(folder, file.path)
  const beside = `${plain}.~${nameOnDisk(file.id)}`
  for (const path of file.isLatest ? [plain, beside] : [beside]) {
    try {
      await makeFolders(dirname(path))
      // Unlike a rename, replaces nothing; not every disk has links.
      await link(part, path).catch(() => copyFile(part, path, constants.COPYFILE_EXCL))
      await unlink(part)
      return path
    } catch (error) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes(error.code)) throw error
    }
  }
  // A folder of this name was a file before.
  const path = join(folder, `${nameOnDisk(file.name)}.~${nameOnDisk(file.id)}`)
  await rename(part, path)
  return path
}

/** Whether what was saved is still there, and right. */
const isThere = (path, file) => write(() => createReadStream(path), file, devNull).catch(() => false)
const home = (await stat(manifest)).isDirectory() ? manifest : dirname(manifest)
const records = join(target, 'records.ndjson')
const counts = { saved: 0, there: 0, failed: 0 }
const [slugs, saved, running] = [new Map(), new Map(), new Set()]
const homeOf = ({ vaultId }) => join(target, slugs.get(vaultId) ?? 'vault')

async function rebuild(file) {
  const before = saved.get(file.id)
  if (before !== undefined && (await isThere(join(target, before), file))) return void counts.there++
  const part = join(target, `.part-${nameOnDisk(file.id)}`)
  const reasons = []
  const openers = file.copies.flatMap((copy) =>
    (places.get(copy.network) ?? []).flatMap((place) => openersOf(place, copy).map((from) => [copy.network, from])),
  )
  if (file.parts) openers.unshift(['export', () => Readable.from(carBytes(file.parts))])
  for (const [source, opener] of openers) {
    try {
      await rm(part, { force: true })
      await write(opener, file, part)
      const path = await put(part, file, homeOf(file))
      const savedAs = path.slice(target.length).replace(/^[/\\]+/, '')
      await appendFile(records, `${JSON.stringify({ ...file, savedAs })}\n`)
      return void counts.saved++
    } catch (error) {
      reasons.push(`${source}: ${error.message}`)
    }
  }
  await rm(part, { force: true }).then(() => counts.failed++)
  const why = [...new Set(reasons)].join('; ') || 'no copy on the networks that are given'
  console.error(shown(`${file.id} ${JSON.stringify(file.path)}: ${why}`))
}

/** Not by `readline`, for which U+2028 in a name ends a line. */
async function* linesOf(path) {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()
    yield* lines
  }
  if (rest !== '') yield rest
}
async function* manifestLines() {
  const isExport = (name) => /^manifest-\d+\.ndjson$/.test(name)
  const names = home === manifest ? (await readdir(home)).filter(isExport).sort() : [basename(manifest)]
  for (const name of names) yield* linesOf(join(home, name))
}

await mkdir(target, { recursive: true })
const { size = 0, isLink } = await lstat(records).then((there) => ({ size: there.size, isLink: there.isSymbolicLink() }), () => ({})) // biome-ignore format: one line
if (isLink) fail(`${records} is a symbolic link`)
// What an earlier run has saved; a line that a crash has cut ends here.
await appendFile(records, '')
for await (const last of createReadStream(records, { start: Math.max(0, size - 1) }))
  if (String(last) !== '\n') await appendFile(records, '\n')
for await (const line of linesOf(records)) {
  try {
    const { id, savedAs } = JSON.parse(line)
    if (savedAs) saved.set(id, savedAs)
  } catch {}
}
let end
for await (const line of manifestLines()) {
  const entry = line.trim() === '' ? {} : JSON.parse(line)
  if (entry.type === 'tideport-manifest' && entry.version !== 1) fail(`This is for version 1, not ${entry.version}`)
  if (entry.type === 'vault') slugs.set(entry.id, nameOnDisk(entry.slug))
  if (entry.type === 'folder') await makeFolders(placeOf(homeOf(entry), entry.path.slice(0, -1)))
  if (['vault', 'folder'].includes(entry.type)) await appendFile(records, `${line}\n`)
  if (entry.type === 'end') end = entry
  if (entry.type !== 'file') continue
  const work = rebuild(entry).finally(() => running.delete(work))
  running.add(work)
  if (running.size >= 4) await Promise.race(running)
}
await Promise.all(running)
const { saved: now, there, failed } = counts
console.log(`${now} files saved, ${there} were there already, ${failed} failed; what is known of each is in ${records}`)
if (!end) console.error('The manifest has no end: it was cut, and there may have been more files')
if (failed > 0 || end?.files !== now + there + failed) process.exitCode = 1
