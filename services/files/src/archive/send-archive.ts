import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import { contentHeaders } from '../downloads/download-target.ts'
import { type Exchange, isChanged, pipeExactly, planAnswer, type SendDeps } from '../downloads/send-file.ts'
import { preconditionFailed } from '../files/file-fields.ts'
import type { ArchivedFile, ArchiveList } from './archive-list.ts'
import { type Checksums, createChecksums } from './checksums.ts'
import { FileGone, fileBytes, type ReadDeps } from './file-bytes.ts'
import { blocksLength } from './stored-blocks.ts'
import {
  centralHeader,
  centralLength,
  type Directory,
  descriptor,
  endRecords,
  entryLength,
  localHeader,
  localLength,
} from './zip-records.ts'

interface Archive {
  list: ArchiveList
  name: string
  /** Called with the number of bytes to send, before any file is read. */
  beforehand: (lengthBytes: number) => Promise<void>
}

/** Supports conditions and single ranges, like downloads of files. HEAD reads no file. */
export async function sendArchive(
  deps: SendDeps,
  { list, name, beforehand }: Archive,
  { request, reply }: Exchange,
): Promise<Exchange['reply']> {
  const { lengthBytes: sizeBytes, entityId, directory } = list.close()
  const etag = `"${entityId}"`
  const validators = { etag, 'cache-control': 'private, no-cache' }
  // A file that was trashed since leaves no newer date, so the archive has no modification date.
  const representation = { etag, sizeBytes, lastModified: new Date(Number.NaN) }
  if (isChanged(request.headers, representation)) throw preconditionFailed(etag)
  const plan = planAnswer(request, representation)
  if (plan.status === 304) return reply.code(304).headers(validators).send()
  if (plan.status === 416) {
    reply.header('content-range', `bytes */${sizeBytes}`)
    throw new AppError('range_not_satisfiable', 'The range is outside the archive')
  }
  const range = plan.status === 206 ? plan.range : { start: 0, end: sizeBytes - 1 }
  const lengthBytes = range.end - range.start + 1
  const headers = {
    ...contentHeaders({ name, mimeType: 'application/zip' }),
    ...validators,
    'accept-ranges': 'bytes',
    'content-length': String(lengthBytes),
    ...(plan.status === 206 && { 'content-range': `bytes ${range.start}-${range.end}/${sizeBytes}` }),
  }
  if (request.method === 'HEAD') return reply.code(200).headers(headers).send()
  await beforehand(lengthBytes)
  reply.code(plan.status).headers(headers).hijack()
  reply.raw.writeHead(plan.status, reply.getHeaders() as OutgoingHttpHeaders)
  await stream({ ...deps, ...deps.sourcesFor({ request, reply }) }, { list, directory, range }, lengthBytes, reply.raw)
  return reply
}

/** Stops reading when the client disconnects. Saves the checksums that were computed before. */
async function stream(
  deps: Omit<ReadDeps, 'asking'>,
  sent: Parameters<typeof archiveBytes>[1],
  lengthBytes: number,
  raw: Exchange['reply']['raw'],
): Promise<void> {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  if (raw.destroyed) return
  const asking = <T>(work: () => Promise<T>) => withWaitBudget(new WaitBudget(postgresWaitMs), work)
  const checksums = createChecksums(deps.db)
  const bytes = Readable.from(archiveBytes({ ...deps, asking }, sent, checksums, gone.signal), { objectMode: false })
  try {
    await pipeExactly(bytes, lengthBytes, raw)
  } catch (error) {
    if (error instanceof FileGone) deps.log.info('archive cut off: a file was deleted during the download')
    else deps.log.error({ err: error }, 'archive cut off')
  } finally {
    await asking(() => checksums.end()).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'could not save checksums'),
    )
  }
}

interface Sent {
  list: ArchiveList
  directory: Directory
  range: ByteRange
}

type Listed = ReturnType<ArchiveList['files']> extends Generator<infer File> ? File : never

/**
 * `start` and `end` are inclusive. Reads a file in full if the directory needs its checksum and the checksum is
 * unknown.
 */
async function* archiveBytes(
  deps: ReadDeps,
  { list, directory, range }: Sent,
  checksums: Checksums,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { start, end } = range
  const cut = (record: Buffer, at: number) => record.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
  const isWanted = (at: number, next: number) => next > start && at <= end

  async function* part(file: Listed, from: number, to: number, isSummed: boolean) {
    const sum = yield* fileBytes(deps, file, { from, to, isSummed }, signal)
    if (sum === null) return
    file.learn(sum)
    file.crc = sum
    await deps.asking(() => checksums.note(file.id, sum))
  }
  async function sumOf(file: Listed): Promise<number> {
    if (file.crc === null) for await (const _ of part(file, 0, 0, true));
    return (file as ArchivedFile).crc ?? 0
  }

  let at = 0
  for (const file of list.files()) {
    if (at > end) return
    const bytesAt = at + localLength(file)
    const behind = bytesAt + blocksLength(file.sizeBytes)
    const next = at + entryLength(file)
    if (isWanted(at, bytesAt)) yield cut(localHeader(file), at)
    if (isWanted(bytesAt, behind)) {
      const from = Math.max(start, bytesAt) - bytesAt
      const to = Math.min(end + 1, behind) - bytesAt
      yield* part(file, from, to, file.crc === null && end >= behind)
    }
    if (isWanted(behind, next)) yield cut(descriptor(file, await sumOf(file)), behind)
    at = next
  }
  let entryAt = directory.at
  let fileAt = 0
  for (const file of list.files()) {
    if (entryAt > end) return
    const length = centralLength(file, fileAt)
    if (isWanted(entryAt, entryAt + length)) yield cut(centralHeader(file, await sumOf(file), fileAt), entryAt)
    entryAt += length
    fileAt += entryLength(file)
  }
  if (entryAt <= end) yield cut(endRecords(directory), entryAt)
}
