import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { fileOf, numberOf } from './file-of.ts'
import { type Inspection, inspect, inspectUnnamed } from './inspect.ts'
import type { Progress } from './progress.ts'
import { filesAfter } from './read-files.ts'
import type { FoundCopy } from './reconcile-file.ts'
import { repair } from './repair.ts'
import { assertTiersAnswer, type Tiers } from './tiers.ts'

/** Files that share one listing of the networks, because a listing may be slow. */
const UNNAMED_MAX = 10_000

export interface Difference {
  fileId: string
  accountId: string
  status: string
  difference: string
  networks: string
  outcome: string
}

interface Unnamed {
  file: FileRow
  inspection: Inspection
}

/**
 * Compares each file after `begin` with both tiers. With `fix`, corrects the rows. Deletes nothing in the tiers. Throws
 * when a tier is unavailable.
 */
export async function* reconcileFiles(
  tiers: Tiers,
  { begin, fix }: { begin: string; fix: boolean },
  signal: AbortSignal,
): AsyncGenerator<Progress<Difference>> {
  await assertTiersAnswer(tiers, signal)
  const unnamed = new Map<string, Unnamed>()
  for (let place: string | null = begin; place !== null; ) {
    signal.throwIfAborted()
    const tally = createTally(tiers, fix, signal)
    const { files, next }: Awaited<ReturnType<typeof filesAfter>> = await filesAfter(tiers.db, place)
    try {
      await inParallel(files, async ({ file, copies }) => {
        const inspection = await inspect(tiers, { file, copies }, signal)
        if (inspection.kind === 'unnamed') unnamed.set(file.id, { file, inspection })
        else await tally.visit(file, inspection)
      })
      if (unnamed.size > UNNAMED_MAX || next === null) await visitUnnamed(tiers, unnamed, tally.visit, signal)
    } catch (error) {
      // Reports the repairs before the error as well.
      yield { ...tally.told, next: place, isSettled: false }
      throw error
    }
    yield { ...tally.told, next, isSettled: unnamed.size === 0 }
    place = next
  }
}

type Visit = (file: FileRow, inspection: Inspection) => Promise<void>

function createTally(tiers: Tiers, fix: boolean, signal: AbortSignal) {
  const told: Pick<Progress<Difference>, 'counts' | 'findings'> = { counts: {}, findings: [] }
  const count = (word: string) => {
    told.counts[word] = (told.counts[word] ?? 0) + 1
  }
  const visit: Visit = async (file, inspection) => {
    const { kind, missing, found } = inspection
    count('files')
    if (kind === 'accords') return
    count(kind)
    const isKnown = fix && kind !== 'unreadable'
    const outcome = isKnown ? await repair(tiers, file, inspection, { signal }) : 'left'
    count(outcome)
    const networks = [...new Set([...missing, ...found].map(({ network }) => network))].join(', ')
    const { id: fileId, accountId, status } = file
    told.findings.push({ fileId, accountId, status, difference: kind, networks, outcome })
  }
  return { told, visit }
}

/** Lists the networks once for all of these files. */
async function visitUnnamed(
  tiers: Tiers,
  unnamed: Map<string, Unnamed>,
  visit: Visit,
  signal: AbortSignal,
): Promise<void> {
  if (unnamed.size === 0) return
  const sizes = new Map([...unnamed.values()].map(({ file }) => [file.id, file.sizeBytes]))
  const found = await findUnnamed(tiers, sizes, signal)
  await inParallel(unnamed.values(), async ({ file, inspection }) => {
    await visit(file, inspectUnnamed(file, inspection, found.get(file.id) ?? []))
  })
  unnamed.clear()
}

/** The latest copy of each file on each network, from one listing of each network. */
async function findUnnamed(
  { networks }: Pick<Tiers, 'networks'>,
  sizes: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<Map<string, FoundCopy[]>> {
  const found = new Map<string, FoundCopy[]>()
  for (const network of networks.all()) {
    for (const [fileId, copy] of await findOn(network, sizes, signal)) {
      found.set(fileId, [...(found.get(fileId) ?? []), copy])
    }
  }
  return found
}

async function findOn(
  network: StorageNetwork,
  sizes: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<Map<string, FoundCopy>> {
  const last = new Map<string, FoundCopy>()
  for await (const { blobId, reference, sizeBytes } of network.references(signal)) {
    const fileId = fileOf(reference)
    if (fileId === null || sizes.get(fileId) !== sizeBytes) continue
    const before = last.get(fileId)
    if (before && numberOf(before.reference) > numberOf(reference)) continue
    // A listing includes incomplete copies.
    const answer = await network.stat({ blobId, reference, ref: {} }, signal)
    if (answer.state === 'present') last.set(fileId, { network: network.name, reference, blobId })
  }
  return last
}
