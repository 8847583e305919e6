import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, opendir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { assertReference, isBlobId } from '../../src/copy-name.ts'
import { NetworkError } from '../../src/errors.ts'
import type { NetworkIdentity } from '../../src/identity.ts'
import { createOwner, parseMarker } from '../../src/owner.ts'
import type { CopyName, StorageNetwork } from '../../src/storage-network.ts'
import { formatCid } from '../../src/unixfs/cid.ts'
import { ContentDigest, type ContentFacts } from '../../src/verified/content-digest.ts'
import { leavesOf } from '../../src/verified/leaves-of.ts'
import { StreamedContent } from '../../src/verified/streamed-content.ts'
import { VerifiedStream } from '../../src/verified/verified-stream.ts'

const LEAF_BYTES = 1024 * 1024

/** Null if the file does not exist. Other errors are failures of this copy. */
const orNull = <T>(call: Promise<T>): Promise<T | null> =>
  call.catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? null : Promise.reject(failureOf(error))))

const failureOf = (error: unknown): Error =>
  error instanceof NetworkError ? error : new NetworkError('copy_failed', 'the directory failed', { cause: error })

/** Reads all bytes, writes them to `file`, and returns their facts and the digest of each leaf. */
async function factsOf(bytes: AsyncIterable<Uint8Array>, file?: FileHandle) {
  const digest = new ContentDigest()
  const leafDigests: Buffer[] = []
  const space = Buffer.alloc(LEAF_BYTES)
  for await (const leaf of leavesOf(bytes, () => space)) {
    digest.addLeaf(leaf)
    leafDigests.push(hash('sha256', leaf, 'buffer'))
    await file?.writeFile(leaf).catch((error) => Promise.reject(failureOf(error)))
  }
  return { ...digest.finish(), leafDigests: Buffer.concat(leafDigests) }
}

/** Bytes at `path` until a commit renames them to their place. The rename is durable once the directory is synced. */
function stagedBlob({ rootCid, sha256, sizeBytes }: ContentFacts, path: string, placeOf: (blobId: string) => string) {
  const blobId = formatCid(rootCid)
  const discard = () => rm(path, { force: true })
  let isCommitted = false
  async function commit() {
    const place = placeOf(blobId)
    await orNull(mkdir(dirname(place), { recursive: true }))
    if (!isCommitted && (await orNull(rename(path, place).then(() => true))) === null)
      throw new NetworkError('staged_lost', 'the staged bytes are gone')
    isCommitted = true
    await using directory = await open(dirname(place))
    await using root = await open(dirname(dirname(place)))
    await Promise.all([directory.sync(), root.sync()])
    return { expiresAt: null }
  }
  return { ...{ blobId, sha256, sizeBytes, ref: {} }, commit, discard, [Symbol.asyncDispose]: discard }
}

/** A copy is the file `<blob id>/<reference>`. No tree is stored, so each reader reads the file twice. */
export function openDirectoryNetwork({ dir, ...identity }: NetworkIdentity & { dir: string }): StorageNetwork {
  const pathOf = ({ blobId, reference }: Omit<CopyName, 'ref'>) => join(dir, blobId, reference)
  const readMarker = () =>
    readFile(join(dir, 'tideport-network.json'), 'utf8').then((text) => parseMarker('directory', text))
  const owner = createOwner('directory', () => orNull(readMarker()), identity)
  /** References become file names. A directory without our marker proves nothing. */
  async function begin(signal: AbortSignal, reference?: string): Promise<void> {
    signal.throwIfAborted()
    if (reference !== undefined) assertReference(reference)
    await owner.ensure(signal)
  }
  /** Only a directory with our marker proves that a copy does not exist. */
  async function absent(signal: AbortSignal): Promise<never> {
    await owner.check(signal)
    throw new NetworkError('not_found', 'there is no such copy')
  }
  /** Verified once completely, because no tree is stored, and leaf by leaf while it is sent. */
  async function openCopy(copy: Omit<CopyName, 'ref'>, options: Parameters<StorageNetwork['open']>[1]) {
    const path = pathOf(copy)
    const facts = await orNull(factsOf(createReadStream(path)))
    if (facts === null) return null
    if (formatCid(facts.rootCid) !== copy.blobId) throw new NetworkError('integrity', 'a copy is damaged')
    const start = Math.max(0, Math.floor((options.range?.start ?? 0) / LEAF_BYTES) * LEAF_BYTES)
    const file = new StreamedContent({ body: createReadStream(path, { start }), failureOf }, start)
    const stream = await VerifiedStream.open({ name: path, file, ...facts }, options.range, null)
    if (options.signal.aborted) stream.destroy()
    options.signal.throwIfAborted()
    return addAbortSignal(options.signal, stream)
  }
  const look: StorageNetwork['stat'] = async (copy, signal) => {
    await begin(signal, copy.reference)
    const found = isBlobId(copy.blobId) ? await orNull(stat(pathOf(copy))) : null
    if (found) return { state: 'present', sizeBytes: found.size, expiresAt: null }
    await owner.check(signal)
    return { state: 'absent' }
  }

  return {
    ...{ name: identity.name, driver: 'embedded', maxBlobBytes: 1024 ** 4, caps: { expires: false, removes: true } },
    ...{ blobIdOf: () => null, billedBytes: (sizeBytes) => sizeBytes, leaseEnd: () => null, stat: look },
    async stage(body, { reference, signal }) {
      const source = body instanceof Readable ? body : Readable.from(body)
      source.on('error', () => undefined)
      const path = join(dir, 'staging', `${reference}.${crypto.randomUUID()}`)
      try {
        await begin(signal, reference)
        await using file = await open(path, 'wx')
        const facts = await factsOf(addAbortSignal(signal, source), file)
        await file.sync()
        return stagedBlob(facts, path, (blobId) => pathOf({ blobId, reference }))
      } catch (error) {
        await rm(path, { force: true })
        throw error
      } finally {
        source.destroy()
      }
    },
    async open(copy, options) {
      await begin(options.signal, 'reference' in copy ? copy.reference : undefined)
      if (!isBlobId(copy.blobId)) return await absent(options.signal)
      if ('reference' in copy) return (await openCopy(copy, options)) ?? (await absent(options.signal))
      for (const reference of (await orNull(readdir(join(dir, copy.blobId)))) ?? []) {
        const opened = await openCopy({ ...copy, reference }, options).catch(() => null)
        if (opened) return opened
      }
      return await absent(options.signal)
    },
    async *references(signal) {
      await begin(signal)
      for await (const { name: reference, parentPath } of await opendir(dir, { recursive: true })) {
        const place = { blobId: basename(parentPath), reference }
        const found = isBlobId(place.blobId) ? await orNull(stat(pathOf(place))) : null
        if (found) yield { ...place, sizeBytes: found.size, storedAt: found.mtime }
      }
    },
    async prove(copy, expected, signal) {
      if ((await look(copy, signal)).state === 'absent') return { ok: false, reason: 'absent' }
      const facts = await factsOf(addAbortSignal(signal, createReadStream(pathOf(copy))))
      const isSame = facts.sha256 === expected.sha256 && facts.sizeBytes === expected.sizeBytes
      const isBlob = isSame && formatCid(facts.rootCid) === copy.blobId
      return isBlob ? { ok: true, expiresAt: null } : { ok: false, reason: 'mismatch' }
    },
    renew: async (copy, signal) =>
      (await look(copy, signal)).state === 'present' ? { expiresAt: null } : await absent(signal),
    async remove(copy, signal) {
      await begin(signal, copy.reference)
      if (isBlobId(copy.blobId)) await orNull(rm(pathOf(copy)))
      return { outcome: 'released' }
    },
    ...{ health: (signal) => owner.ensure(signal), space: async () => null },
  }
}
