import { setImmediate } from 'node:timers/promises'
import { PART_URLS_MAX, type putHeaders } from '@tideport/contracts/public/upload-part'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { type PartPlace, partCount, placeOfPart } from '@tideport/file-lifecycle/upload/part-layout'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { expiryOf } from '@tideport/hot-tier/presign'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { z } from 'zod'
import type { SlowCalls } from '../calls/slow-calls.ts'

/** Signed without a break; then others get their turn. */
const BATCH = 20
/** So many URLs cost as much as a request. */
const URLS_A_REQUEST = 50

export interface SignedParts {
  fileId: string
  method: 'PUT'
  headers: z.output<typeof putHeaders>
  expiresAt: string
  parts: (PartPlace & { uploadUrl: string })[]
}

export interface AskedParts {
  partNumbers: number[]
  charge: (requests: number) => void
}

/** The numbers of as many parts as one answer holds. */
export function partsOf(upload: FileRow): number[] {
  return Array.from({ length: Math.min(partCount(upload), PART_URLS_MAX) }, (_, index) => index + 1)
}

export interface SignPartsDeps {
  hotTier: HotTier
  slowCalls: SlowCalls
  config: { uploadUrlSeconds: number }
}

/** URLs for parts of an upload whose row was just written: their life counts from then. */
export async function signParts(deps: SignPartsDeps, open: FileRow, { partNumbers, charge }: AskedParts) {
  charge(Math.floor(partNumbers.length / URLS_A_REQUEST))
  if (open.uploadForm === 'once') return await signWhole(deps, open)
  const sign = () => signEach(deps, open, partNumbers)
  return await (partNumbers.length > BATCH ? deps.slowCalls.run(open.accountId, sign) : sign())
}

async function signEach(
  { hotTier, config: { uploadUrlSeconds } }: SignPartsDeps,
  open: FileRow,
  partNumbers: number[],
): Promise<SignedParts> {
  const { uploadKey: key, uploadId, mimeType, updatedAt: signedAt } = open
  if (uploadId === null) throw notFound()
  const shared = { key, uploadId, mimeType, expiresSeconds: uploadUrlSeconds, signedAt }
  const parts: SignedParts['parts'] = []
  for (const partNumber of partNumbers) {
    const place = placeOfPart(open, partNumber)
    const { sizeBytes } = place
    parts.push({ ...place, uploadUrl: await hotTier.presignPart({ ...shared, partNumber, sizeBytes }) })
    if (parts.length % BATCH === 0) await setImmediate()
  }
  return answerOf(open, { 'Content-Type': mimeType }, uploadUrlSeconds, parts)
}

/** One PUT of all bytes, which makes the object itself (docs/file-lifecycle.md §3). */
async function signWhole(
  { hotTier, config: { uploadUrlSeconds } }: SignPartsDeps,
  open: FileRow,
): Promise<SignedParts> {
  const { uploadKey: key, mimeType, sizeBytes, updatedAt: signedAt } = open
  const uploadUrl = await hotTier.presignObject({
    key,
    mimeType,
    sizeBytes,
    expiresSeconds: uploadUrlSeconds,
    signedAt,
  })
  const headers = { 'Content-Type': mimeType, 'Content-Length': String(sizeBytes), 'If-None-Match': '*' } as const
  return answerOf(open, headers, uploadUrlSeconds, [{ ...placeOfPart(open, 1), uploadUrl }])
}

function answerOf(
  { id, updatedAt }: FileRow,
  headers: SignedParts['headers'],
  lifeSeconds: number,
  parts: SignedParts['parts'],
): SignedParts {
  return { fileId: id, method: 'PUT', headers, expiresAt: expiryOf(updatedAt, lifeSeconds).toISOString(), parts }
}
