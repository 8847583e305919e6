import { findHeld } from '@tideport/file-lifecycle/copies/open-source'
import { nameOf } from '@tideport/file-lifecycle/state/copy-transitions'
import { type FileCopies, isNamed, type NamedCopy } from '@tideport/file-lifecycle/state/file-copies'
import type { CopyRow, FileRow } from '@tideport/file-lifecycle/state/tables'
import { NetworkError } from '@tideport/storage-network/errors'
import type { FoundCopy } from './reconcile-file.ts'
import type { Tiers } from './tiers.ts'

/**
 * How a file's rows differ from what the tiers hold:
 * - `stored`: uploading, but the object exists, so the upload was confirmed
 * - `copied`: no place in the rows has the bytes, but a network has a copy
 * - `evicted`: synced, every required copy exists, and the object does not
 * - `dropped`: the restored bytes no longer exist
 * - `uncopied`: a network lacks a copy, but the bytes exist elsewhere
 * - `lost`: the bytes exist nowhere
 */
export type Difference = 'stored' | 'copied' | 'evicted' | 'dropped' | 'uncopied' | 'lost'

export interface Inspection {
  /**
   * `unnamed`: no place in the rows has the bytes, so only a listing of all networks can find a copy. `unreadable`: a
   * network failed, so the state is unknown.
   */
  kind: Difference | 'accords' | 'unnamed' | 'unreadable'
  /** Copies that their networks do not have. */
  missing: readonly CopyRow[]
  /** Copies that networks have and the rows do not rely on. */
  found: readonly FoundCopy[]
}

/** Compares a file's rows with both tiers. An unconfirmed upload may be missing from both. */
export async function inspect(tiers: Tiers, { file, copies }: FileCopies, signal: AbortSignal): Promise<Inspection> {
  const answer = (kind: Inspection['kind'], more: Partial<Inspection> = {}) => ({
    kind,
    missing: [],
    found: [],
    ...more,
  })
  if (file.status === 'uploading') return answer(await inspectUpload(tiers, file, signal))
  // Sync handles a wrong size.
  const hasObject =
    file.hotKey !== null && (await tiers.hotTier.head(file.hotKey, { sizeBytes: file.sizeBytes, signal })) !== null
  const looks = await lookAt(tiers, { file, copies }, signal)
  const relied = looks.filter(({ copy }) => ['stored', 'proved', 'dropping'].includes(copy.state))
  // A copy in state `dropping` may be deleted already.
  const missing = relied.flatMap(({ copy, is }) => (is === 'absent' && copy.state !== 'dropping' ? [copy] : []))
  const isThere = hasObject || relied.some(({ is }) => is === 'present')
  const mayBeThere = relied.some(({ is }) => is === 'unreadable' || is === 'unknown')

  if (missing.length > 0 && (isThere || mayBeThere)) return answer('uncopied', { missing })
  if (relied.some(({ is }) => is === 'unreadable')) return answer('unreadable')
  if (isThere) return answer(hasObject ? 'accords' : withoutObject({ file, copies }, tiers.networks.required))
  if (mayBeThere) return answer('accords')
  const others = looks.filter(({ copy, is }) => is === 'present' && !relied.some((one) => one.copy === copy))
  // Sync checks that place itself.
  if (others.some(({ copy }) => copy.state === 'planned')) return answer('accords')
  if (others.length > 0) return answer('copied', { missing, found: others.map(({ copy }) => copy) })
  return answer('unnamed', { missing })
}

/** Like the inspection above, with the copies that the listings found. */
export function inspectUnnamed(
  { status }: FileRow,
  { missing }: Pick<Inspection, 'missing'>,
  found: readonly FoundCopy[],
): Inspection {
  if (found.length > 0) return { kind: 'copied', missing, found }
  // A file in error needs no finding, unless its rows rely on missing bytes.
  const saysSo = status === 'uploading' || (status === 'error' && missing.length === 0)
  return { kind: saysSo ? 'accords' : 'lost', missing, found }
}

function withoutObject({ file, copies }: FileCopies, required: readonly string[]): Difference | 'accords' {
  if (file.hotKey === null) return 'accords'
  if (file.status === 'cold') return 'dropped'
  // An interrupted eviction resumes automatically.
  if (file.status !== 'synced' || file.evictingAt !== null) return 'accords'
  const isHeld = (name: string) =>
    copies.some(({ network, state }) => network === name && (state === 'stored' || state === 'proved'))
  // Otherwise eviction runs after the copies are stored.
  return required.every(isHeld) && !copies.some(({ state }) => state === 'dropping') ? 'evicted' : 'accords'
}

/**
 * Only a confirm completes a multipart upload, but a single PUT creates the complete object. Eviction may have deleted
 * either object.
 */
async function inspectUpload({ hotTier }: Tiers, file: FileRow, signal: AbortSignal) {
  if ((await hotTier.head(file.uploadKey, { sizeBytes: file.sizeBytes, signal })) === file.sizeBytes) return 'stored'
  if (file.uploadForm !== 'parts') return 'unnamed'
  const isOpen = file.uploadId === null || (await hotTier.listParts(file.uploadKey, file.uploadId)) !== null
  return isOpen ? 'accords' : 'unnamed'
}

interface Look {
  copy: NamedCopy
  /** `unknown`: the network is not configured, so the state is unknown. */
  is: 'present' | 'absent' | 'unreadable' | 'unknown'
}

/** Reads the bytes only if the metadata differ. `operator verify` reads all bytes. */
async function lookAt(tiers: Tiers, { file, copies }: FileCopies, signal: AbortSignal): Promise<Look[]> {
  const named = copies.filter((copy) => isNamed(copy)).filter(({ state }) => state !== 'dropped')
  return await Promise.all(named.map(async (copy) => ({ copy, is: await lookAtCopy(tiers, file, copy, signal) })))
}

async function lookAtCopy(tiers: Tiers, file: FileRow, copy: NamedCopy, signal: AbortSignal): Promise<Look['is']> {
  const network = tiers.networks.get(copy.network)
  if (network === undefined) return 'unknown'
  try {
    const answer = await network.stat(nameOf(copy), signal)
    if (answer.state === 'present' && answer.sizeBytes === file.sizeBytes) return 'present'
    // The copy is not lost: if its bytes are intact, reading them repairs it.
    return (await findHeld(tiers, network, file, copy, signal)) === null ? 'absent' : 'present'
  } catch (error) {
    if (error instanceof NetworkError && ['copy_failed', 'no_space'].includes(error.code)) return 'unreadable'
    throw error
  }
}
