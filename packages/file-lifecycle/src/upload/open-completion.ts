import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { isLive, reloadFile } from '../state/queries.ts'
import type { FileRow, OnConflict } from '../state/tables.ts'
import { findRefusal } from '../state/take-path.ts'
import { type Completion, type CompletionDeps, completeUpload } from './confirm.ts'
import {
  addBytes,
  finishedParts,
  isAsStored,
  isCommitting,
  leaveOut,
  OPEN_PARTS_MAX,
  type StoredPart,
} from './open-parts.ts'
import { packSizes } from './part-sizes.ts'

/** All parts of a file but the last one have at least this size, as in S3. */
export const SMALLEST_PART_BYTES = 5 * 1024 ** 2

const LOOK_MS = 50

export interface OpenCompletion {
  /** In their order. Parts that are not listed are left out. */
  parts: readonly ListedPart[]
  /** The size that the client expects. */
  sizeBytes?: number | undefined
  maxFileBytes: number
  onConflict: Exclude<OnConflict, 'keep'>
  /** The file that must have the key, or `NOBODY`. */
  ifOccupant: string | null
  /** Digests of the file from those of its parts. Throws if the client expects others. */
  digestsOf: (parts: readonly StoredPart[]) => Promise<Record<string, string> | null>
}

export interface ListedPart {
  partNumber: number
  /** Lower-case hex. */
  md5: string
  digests: Record<string, string>
}

/** Why a list of parts is refused. The upload stays open. */
export type ListFault =
  | { outcome: 'invalid_part' | 'entity_too_small'; partNumber: number }
  | { outcome: 'invalid_part_order' | 'too_large' }
  /** The client lists a digest that the part does not have. */
  | { outcome: 'digest_differs'; partNumber: number; name: string }
  | { outcome: 'size_differs'; sizeBytes: number }

interface Plan {
  parts: StoredPart[]
  sizeBytes: number
  entityTag: string
}

/** The ETag of an object in parts: the MD5 of their MD5s, and their number. */
export function entityTagOf(parts: readonly { md5: string }[]): string {
  const md5 = createHash('md5')
  for (const part of parts) md5.update(part.md5, 'hex')
  return `${md5.digest('hex')}-${parts.length}`
}

/**
 * Makes a file of the listed parts (docs/explain/life-of-a-file.md §4). Can be repeated with the same list, also when
 * the file is hot already. `in_progress` also while another list is being completed.
 */
export async function completeOpenUpload(
  deps: CompletionDeps,
  upload: FileRow,
  wanted: OpenCompletion,
  wait: { waitMs: number; signal: AbortSignal },
): Promise<Completion | ListFault> {
  const entityTag = entityTagOf(wanted.parts)
  const until = performance.now() + wait.waitMs
  for (let current: FileRow | null = upload; current !== null; ) {
    const isSame: boolean = current.entityTag === entityTag
    if (current.status !== 'uploading')
      return isSame ? { outcome: 'confirmed', file: current, didTransition: false } : { outcome: 'gone' }
    if (current.completingAt !== null)
      return isSame ? await completeUpload(deps, current, wait) : { outcome: 'in_progress' }
    const plan = await planOf(deps, current, { ...wanted, entityTag })
    if ('outcome' in plan) return plan
    const refusal = await findRefusal(deps.db, { ...current, ...pathOf(wanted) })
    if (refusal !== null) return refusal
    const begun = await begin(deps, current, { ...wanted, plan })
    if (begun === 'busy') {
      if (performance.now() > until || wait.signal.aborted) return { outcome: 'in_progress' }
      await delay(LOOK_MS, undefined, { signal: wait.signal }).catch(() => undefined)
      continue
    }
    if (begun !== null) return await completeUpload(deps, begun, wait)
    const again: FileRow | null = await reloadFile(deps.db, current.id)
    if (again?.version === current.version || (again && again.purgingAt !== null)) break
    current = again
  }
  return { outcome: 'gone' }
}

const pathOf = ({ onConflict, ifOccupant }: OpenCompletion) => ({ onConflict, ifOccupant })

/** Compares the list with the rows and with the store, whose current parts are the only ones that it can complete. */
async function planOf(
  { db, hotTier }: CompletionDeps,
  upload: FileRow,
  { parts, sizeBytes, maxFileBytes, entityTag }: OpenCompletion & { entityTag: string },
): Promise<Plan | ListFault | { outcome: 'lost' }> {
  if (
    parts.length > OPEN_PARTS_MAX ||
    parts.some(({ partNumber }, at) => partNumber <= (parts[at - 1]?.partNumber ?? 0))
  )
    return { outcome: 'invalid_part_order' }
  const { uploadKey, uploadId } = upload
  const stored = uploadId === null ? null : await hotTier.listParts(uploadKey, uploadId)
  // An earlier completion of these parts has created the object, and then another file had the path.
  const isCreated = stored === null && upload.entityTag === entityTag
  if (stored === null && !isCreated) return { outcome: 'lost' }
  const current = new Map(stored?.map((part) => [part.partNumber, part]))
  const known = new Map<number, StoredPart>()
  for (const part of await finishedParts(db, upload.id)) {
    const atStore = current.get(part.partNumber)
    const isUsed = isCreated ? !part.isLeftOut : atStore !== undefined && isAsStored(part, atStore)
    if (isUsed) known.set(part.partNumber, part)
  }
  const chosen: StoredPart[] = []
  for (const listed of parts) {
    const part = known.get(listed.partNumber)
    const { partNumber } = listed
    if (part?.md5 !== listed.md5) return { outcome: 'invalid_part', partNumber }
    const [name] = Object.keys(listed.digests).filter((one) => part.digests?.[one] !== listed.digests[one])
    if (name !== undefined && part.digests?.[name] !== undefined) return { outcome: 'invalid_part', partNumber }
    if (name !== undefined) return { outcome: 'digest_differs', partNumber, name }
    chosen.push(part)
  }
  const small = chosen.slice(0, -1).find((part) => part.sizeBytes < SMALLEST_PART_BYTES)
  if (small !== undefined) return { outcome: 'entity_too_small', partNumber: small.partNumber }
  const total = chosen.reduce((sum, part) => sum + part.sizeBytes, 0)
  if (total > maxFileBytes) return { outcome: 'too_large' }
  if (sizeBytes !== undefined && sizeBytes !== total) return { outcome: 'size_differs', sizeBytes: total }
  return { parts: chosen, sizeBytes: total, entityTag }
}

/**
 * Records the parts before the store completes them, so that the completion can be continued. The commit waits for the
 * disk, because nothing else tells which parts the object has. Null: the upload has changed. `busy`: a part is ending at
 * the store, which could replace one of these.
 */
async function begin(
  { db, settleSeconds }: Pick<CompletionDeps, 'db' | 'settleSeconds'>,
  upload: FileRow,
  { plan, onConflict, ifOccupant, digestsOf }: OpenCompletion & { plan: Plan },
): Promise<FileRow | 'busy' | null> {
  const digests = await digestsOf(plan.parts)
  const sizes = packSizes(plan.parts.map(({ sizeBytes }) => sizeBytes))
  return await db.transaction().execute(async (trx) => {
    const { rows } = await sql<FileRow>`
      select * from file where id = ${upload.id} and version = ${upload.version} and status = 'uploading'
        and completing_at is null and ${isLive} for no key update`.execute(trx)
    const [locked] = rows
    if (locked === undefined) return null
    if (await isCommitting(trx, upload.id)) return 'busy'
    const attempts = plan.parts.map(({ attempt }) => attempt)
    await addBytes(trx, locked, await leaveOut(trx, upload.id, attempts))
    const { rows: begun } = await sql<FileRow>`
      update file set completing_at = now(), version = version + 1, updated_at = now(), entity_tag = ${plan.entityTag},
        digests = ${digests && JSON.stringify(digests)}::jsonb, part_sizes = ${sizes}::bigint[],
        on_conflict = ${onConflict}, if_occupant = ${ifOccupant},
        cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${settleSeconds}))
      where id = ${upload.id} returning *`.execute(trx)
    return begun[0] ?? null
  })
}
