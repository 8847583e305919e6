import type { ManifestLine } from '@tideport/contracts/public/manifest'
import { CAR_TYPE } from './car.ts'
import type { ExportTarget, Written } from './export-target.ts'
import { fileLine } from './manifest-lines.ts'
import { type Packed, type PartDeps, partBytes, partLength, StretchLost } from './part-bytes.ts'
import { planPart, type Stretch, type Within } from './plan-part.ts'
import type { WalkedFile } from './walk-account.ts'

type FileLine = Extract<ManifestLine, { type: 'file' }>

/** A file that began in earlier parts, with its stretches there. */
export interface Begun extends Within {
  parts: NonNullable<FileLine['parts']>
}

/** Complete manifest lines, lost files, and the file that continues in the next part. */
export interface PackedPart {
  written: Written | null
  lines: FileLine[]
  lost: WalkedFile[]
  begun: Begun | null
  /** Includes lost files. */
  through: number
}

interface Part {
  name: string
  target: ExportTarget
  begun: Begun | null
  partBytes: number
}

/** Writes a part with as many files as fit. Skips files whose bytes are lost. */
export async function packFiles(
  deps: PartDeps,
  files: readonly WalkedFile[],
  { name, target, begun, partBytes: room }: Part,
  signal: AbortSignal,
): Promise<PackedPart> {
  const lost: WalkedFile[] = []
  let planned = planPart(files, { within: begun, partBytes: room })
  for (;;) {
    const [first] = planned
    if (first === undefined) return { written: null, lines: lost.map((one) => fileLine(deps.networks, one)), lost, begun: null, through: lost.length } // biome-ignore format: one answer
    const packed: Packed[] = []
    try {
      const object = { name, mimeType: CAR_TYPE, sizeBytes: partLength(planned) }
      const written = await target.write(object, partBytes(deps, planned, packed, signal), signal)
      return { written, lost, ...told(deps, { name, planned, packed, begun, lost }) }
    } catch (error) {
      if (!(error instanceof StretchLost)) throw error
      if (error.index > 0) {
        // The files before the lost one form a part of their own.
        planned = planned.slice(0, error.index)
      } else {
        lost.push(first.walked)
        planned = planPart(files.slice(lost.length), { within: null, partBytes: room })
      }
    }
  }
}

interface Told {
  name: string
  planned: readonly Stretch[]
  packed: readonly Packed[]
  begun: Begun | null
  lost: readonly WalkedFile[]
}

function told({ networks }: PartDeps, { name, planned, packed, begun, lost }: Told) {
  const lines = lost.map((one): FileLine => fileLine(networks, one))
  let next: Begun | null = null
  for (const [index, { walked, from, to }] of planned.entries()) {
    const { sha256 = null, ...section } = packed[index] as Packed
    const before = from > 0 ? (begun?.parts ?? []) : []
    const parts = [...before, { name, ...section }]
    if (to < walked.file.sizeBytes) next = { fileId: walked.file.id, at: to, parts }
    else {
      const line = fileLine(networks, walked)
      lines.push({ ...line, checksumSha256: line.checksumSha256 ?? sha256, parts })
    }
  }
  return { lines, begun: next, through: lines.length }
}
