import { createHash } from 'node:crypto'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import { CAR_HEADER, carSections, type Sections, sectionsBytes } from './car.ts'
import type { Stretch } from './plan-part.ts'

export interface PartDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  log: Log
}

/** A stretch of a file in a part. `sha256` is set for complete files. */
export interface Packed extends Sections {
  sizeBytes: number
  sha256: string | null
}

/** The bytes of a file are lost. `index` is the number of complete stretches before it. */
export class StretchLost extends Error {
  override name = 'StretchLost'
  readonly index: number

  constructor(index: number, options: ErrorOptions) {
    super('The content of a file is lost', options)
    this.index = index
  }
}

export function partLength(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { from, to }) => sum + sectionsBytes(to - from), CAR_HEADER.length)
}

/** Streams the CAR of these stretches and adds them to `packed`. Throws `StretchLost`. */
export async function* partBytes(
  deps: PartDeps,
  stretches: readonly Stretch[],
  packed: Packed[],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  yield CAR_HEADER
  let offset = CAR_HEADER.length
  for (const [index, stretch] of stretches.entries()) {
    const { walked, from, to } = stretch
    const isWhole = from === 0 && to === walked.file.sizeBytes
    const whole = createHash('sha256')
    const sections = yield* carSections(
      bytesOf(deps, stretch, { index, signal, onChunk: isWhole ? whole : null }),
      offset,
    )
    const sha256 = isWhole ? whole.digest('hex') : null
    if (sha256 !== null && (walked.file.sha256 ?? sha256) !== sha256) {
      throw new StretchLost(index, { cause: new Error('The SHA-256 of the bytes does not match the stored one') })
    }
    packed.push({ ...sections, sizeBytes: to - from, sha256 })
    offset += sections.length
  }
}

interface Reading {
  index: number
  signal: AbortSignal
  onChunk: ReturnType<typeof createHash> | null
}

async function* bytesOf(
  deps: PartDeps,
  { walked, from, to }: Stretch,
  { index, signal, onChunk }: Reading,
): AsyncGenerator<Uint8Array> {
  if (from === to) return
  const isWhole = from === 0 && to === walked.file.sizeBytes
  let left = to - from
  try {
    const { bytes } = await openBytes(deps, walked, isWhole ? undefined : { start: from, end: to - 1 }, signal)
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      left -= chunk.length
      onChunk?.update(chunk)
      yield chunk
    }
  } catch (error) {
    throw error instanceof AppError && error.code === 'content_lost' ? new StretchLost(index, { cause: error }) : error
  }
  if (left !== 0) throw new Error(`File ${walked.file.id} has a different length than its row`)
}
