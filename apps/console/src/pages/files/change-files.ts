import {
  copyFiles,
  deleteFiles,
  type FileResult,
  type Job,
  listFiles,
  type ManyFiles,
  moveFiles,
  publishFiles,
  restoreFiles,
  trashFiles,
  updateFile,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast, toastError } from '../../api/toasts.ts'
import { watchJobs } from '../../jobs/jobs.ts'
import { text } from '../../text/text.ts'
import { countOf, type Entry, lastOf, parentOf } from './entries.ts'
import { refreshFiles } from './file-queries.ts'

/** Limit of the API. */
const idsMax = 1000

type Target = { ids: string[] } | { prefix: string }
type Change<T extends Target = Target> = (target: T) => Promise<ManyFiles>

function targetsOf(entries: readonly Entry[]): Target[] {
  const ids = entries.filter(({ kind }) => kind === 'file').map(({ key }) => key)
  const batches = Array.from({ length: Math.ceil(ids.length / idsMax) }, (_, index) => ({
    ids: ids.slice(index * idsMax, (index + 1) * idsMax),
  }))
  return [...batches, ...entries.filter(({ kind }) => kind !== 'file').map(({ path }) => ({ prefix: path }))]
}

interface Told {
  done: string
  undo?: () => Promise<void>
}

/**
 * Applies the change to each target. Jobs show their progress; files that could not be changed are counted. Throws when
 * the first request fails.
 */
async function apply<T extends Target>(
  vaultId: string,
  targets: readonly T[],
  change: Change<T>,
  { done, undo }: Told,
): Promise<void> {
  let failed: FileResult[] = []
  let isUntouched = true
  let isThrough = true
  const jobs: Job[] = []
  try {
    for (const target of targets) {
      const { results, job } = await change(target)
      isUntouched = false
      failed = [...failed, ...(results ?? []).filter(({ code }) => code !== null)]
      if (job !== null) jobs.push(job)
    }
  } catch (error) {
    if (isUntouched) {
      refreshFiles(vaultId)
      throw error
    }
    toastError(error)
    isThrough = false
  }
  refreshFiles(vaultId)
  const t = text.value
  const action = undo && isThrough ? { label: t.app.undo, run: () => void undo().catch(toastError) } : undefined
  // Undoing while a job runs would be partly overwritten by the job.
  if (jobs.length > 0) void watchJobs(jobs, () => refreshFiles(vaultId), { done, action })
  if (failed.length > 0) toast(t.files.leftAsTheyWere(failed.length))
  else if (isThrough && jobs.length === 0) toast(done, action)
}

export function trashEntries(vaultId: string, entries: readonly Entry[]): Promise<void> {
  const targets = targetsOf(entries)
  const t = text.value.files
  const thrown: Trashed[] = []
  const trash: Change = async (target) => {
    const answer = await trashFiles(client(), { vaultId, ...target })
    thrown.push(trashedBy(target, answer))
    return answer
  }
  const restore: Change<Trashed> = (target) => restoreFiles(client(), { vaultId, ...target })
  return apply(vaultId, targets, trash, {
    done: t.trashed(countOf(entries)),
    undo: () => apply(vaultId, thrown.filter(isAny), restore, { done: t.restored(countOf(entries)) }),
  })
}

type Trashed = { ids: string[] } | { prefix: string; trashedSince?: string }

/** Restores exactly the files that this call moved to the trash. */
function trashedBy(target: Target, { results, job }: ManyFiles): Trashed {
  if ('prefix' in target) return { ...target, ...(job !== null && { trashedSince: job.createdAt }) }
  return { ids: (results ?? []).flatMap(({ fileId, code }) => (code === null ? [fileId] : [])) }
}

const isAny = (target: Trashed): boolean => 'prefix' in target || target.ids.length > 0

export function publishEntries(vaultId: string, entries: readonly Entry[]): Promise<void> {
  const done = text.value.files.published(countOf(entries))
  return apply(vaultId, targetsOf(entries), (target) => publishFiles(client(), { vaultId, ...target }), { done })
}

export function deleteEntries(vaultId: string, entries: readonly Entry[]): Promise<void> {
  const done = text.value.files.deleted(countOf(entries))
  return apply(vaultId, targetsOf(entries), (target) => deleteFiles(client(), { vaultId, ...target }), { done })
}

/** A folder keeps its name. */
export async function moveEntries(vaultId: string, entries: readonly Entry[], to: string): Promise<void> {
  const t = text.value.files
  const homeOf = ({ kind, path }: Entry) => (kind === 'whole' ? path : parentOf(path))
  const home = entries[0] === undefined ? '' : homeOf(entries[0])
  const moved = entries.map((entry): Entry => ({ ...entry, path: `${to}${entry.path.slice(home.length)}` }))
  const places = moved.filter(({ kind }) => kind !== 'file').map(({ path }) => path)
  const mayUndo = entries.every((entry) => homeOf(entry) === home) && (await areEmpty(vaultId, places))
  const move = (list: readonly Entry[], place: string, told: Told) => {
    const change: Change = (target) => moveFiles(client(), { vaultId, ...target, to: placeOf(target, place, list) })
    return apply(vaultId, targetsOf(list), change, told)
  }
  return await move(entries, to, {
    done: t.moved(countOf(entries)),
    ...(mayUndo && { undo: () => move(moved, home, { done: t.movedBack(countOf(entries)) }) }),
  })
}

const placesMax = 20

/** Undoing the move of a folder also moves other files at the target, so the target must be empty before. */
async function areEmpty(vaultId: string, places: readonly string[]): Promise<boolean> {
  if (places.length > placesMax) return false
  const pages = await Promise.all(
    places.map((prefix) => listFiles(client(), { vaultId, prefix: prefix || undefined, limit: 1 }).page()),
  )
  return pages.every(({ files }) => files.length === 0)
}

/** Existing files stay; a taken name gets a number. */
export function copyEntries(vaultId: string, entries: readonly Entry[], to: string): Promise<void> {
  const copy: Change = (target) => copyFiles(client(), { vaultId, ...target, to: placeOf(target, to, entries) })
  return apply(vaultId, targetsOf(entries), copy, { done: text.value.files.copied(countOf(entries)) })
}

function placeOf(target: Target, to: string, entries: readonly Entry[]): string {
  if (!('prefix' in target) || entries[0]?.kind === 'whole') return to
  return `${to}${lastOf(target.prefix)}/`
}

export async function renameEntry(vaultId: string, entry: Entry, name: string): Promise<void> {
  const t = text.value
  const path = `${parentOf(entry.path)}${name}`
  if (entry.kind !== 'file') {
    const move = (prefix: string, to: string, told: Told) =>
      apply(vaultId, [{ prefix }], (target) => moveFiles(client(), { vaultId, ...target, to }), told)
    const undo = () => move(`${path}/`, entry.path, { done: t.files.renamed(entry.name) })
    const mayUndo = await areEmpty(vaultId, [`${path}/`])
    return await move(entry.path, `${path}/`, { done: t.files.renamed(name), ...(mayUndo && { undo }) })
  }
  await updateFile(client(), { fileId: entry.key, name })
  refreshFiles(vaultId)
  const undo = () =>
    void updateFile(client(), { fileId: entry.key, name: entry.name }).then(() => refreshFiles(vaultId), toastError)
  toast(t.files.renamed(name), { label: t.app.undo, run: undo })
}
