import { deleteFile } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { joinPath } from '../remote/address.ts'
import type { Tally } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { tellFailure } from '../terminal/tell.ts'
import type { Outgoing } from '../transfer/gather.ts'
import type { Pace } from '../transfer/pace.ts'
import { uploadFiles } from '../transfer/upload-files.ts'
import { changeLine, placeOf, tellDeletedThere, tellUpload } from './changes.ts'
import type { Differences, Sides } from './compare-sides.ts'
import type { Hashes } from './known-hashes.ts'
import type { SyncOptions } from './sync-down.ts'

/**
 * Makes the service's side like this one. Each upload says its SHA-256, so that nothing else can arrive. Deleted is
 * only when all else went well, and into the trash.
 */
export async function syncUp(
  sides: Sides,
  found: Differences,
  options: SyncOptions & { hashes: Hashes; tally: Tally; pace: Pace | null },
  context: Context,
): Promise<void> {
  const { remove, isDry, tally } = options
  const { client } = sides
  const { output, signal } = context
  if (isDry) await tellUploads(sides, found, context)
  else await uploadAll(sides, found, options, context)
  tally.check()
  if (!remove) return
  const removing = forEach(
    found.remoteOnly,
    { limit: isDry ? 1 : 4, signal, what: 'files' },
    async ({ file }) => {
      if (!isDry) await deleteFile(client, { fileId: file.id }, { signal })
      await tellDeletedThere(output, placeOf(sides, file.path), file)
    },
    async ({ file }, error) => {
      const to = placeOf(sides, file.path)
      await tellFailure(output, { action: 'delete', to, fileId: file.id }, to, error)
    },
  )
  await tally.add(found.remoteOnly.length, removing)
  tally.check()
}

async function tellUploads(sides: Sides, { localOnly, different }: Differences, { output }: Context): Promise<void> {
  const to = (name: string) => placeOf(sides, joinPath(sides.folder, name))
  for (const file of localOnly) await tellUpload(output, 'upload', file, to(file.name))
  for (const { local } of different) await tellUpload(output, 'replace', local, to(local.name))
}

async function uploadAll(
  { client, root, folder, vault, vaultKey }: Sides,
  { localOnly, different }: Differences,
  { parallel, hashes, tally, pace }: SyncOptions & { hashes: Hashes; tally: Tally; pace: Pace | null },
  context: Context,
): Promise<void> {
  const { output, signal } = context
  const sums = new Map<string, string>()
  const files: Outgoing[] = []
  const replacing = new Set(different.map(({ name }) => joinPath(folder, name)))
  for (const { name, ...file } of [...localOnly, ...different.map(({ local }) => local)]) {
    const target = joinPath(folder, name)
    try {
      sums.set(target, await hashes.ofLocal({ name, ...file }, signal))
      files.push({ ...file, target })
    } catch (error) {
      signal.throwIfAborted()
      tally.failed++
      await tellFailure(output, { path: file.path }, file.path, error)
    }
  }
  const sumOf = ({ target }: Outgoing) => sums.get(target) as string
  const resultOf = ({ target }: Outgoing, told: { to: string }): [object, string] => {
    const action = replacing.has(target) ? 'replace' : 'upload'
    return [{ action, ...told }, changeLine(action, told.to)]
  }
  const plan = {
    ...{ vault, vaultKey, files, parallel, pace, failedBefore: 0, resultOf, run: ['sync', root, folder] },
    // The service was looked at just now: what a run before finished has been moved, or replaced, since.
    isStill: () => false,
    // Of encrypted bytes the sum is known when they are sent.
    fieldsOf: (file: Outgoing) => ({ onConflict: 'replace' as const, ...(vaultKey === null && { checksumSha256: sumOf(file) }) }), // biome-ignore format: one claim
    onUploaded: (file: Outgoing, fileId: string) => hashes.uploaded(fileId, file, sumOf(file)),
  }
  await tally.add(files.length, uploadFiles(client, plan, context))
}
