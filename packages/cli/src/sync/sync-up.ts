import { deleteFile } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { unstorable } from '../local/encode-names.ts'
import { joinPath } from '../remote/address.ts'
import { type Tally, tellFailure } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import type { Pace } from '../transfer/bandwidth-limit.ts'
import type { Outgoing } from '../transfer/gather.ts'
import { uploadFiles } from '../transfer/upload-files.ts'
import { changeLine, placeOf, tellDeletedThere, tellUpload } from './changes.ts'
import type { Differences, Sides } from './compare-sides.ts'
import type { Hashes } from './known-hashes.ts'
import type { SyncOptions } from './sync-down.ts'

/** Makes the service equal to the local side. Moves files to the trash only if everything else succeeded. */
export async function syncUp(
  sides: Sides,
  found: Differences,
  options: SyncOptions & { hashes: Hashes; tally: Tally; pace: Pace | null },
  context: Context,
): Promise<void> {
  const { remove, isDry, tally } = options
  const { client } = sides
  const { output, signal } = context
  if (isDry) await tellUploads(sides, found, tally, context)
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

/** A path that the service cannot store fails, like in a real run. */
async function tellUploads(sides: Sides, { localOnly, different }: Differences, tally: Tally, { output }: Context) {
  const changes = [
    ...localOnly.map((file) => ['upload', file] as const),
    ...different.map(({ local }) => ['replace', local] as const),
  ]
  for (const [action, file] of changes) {
    const target = joinPath(sides.folder, file.name)
    const to = placeOf(sides, target)
    const fault = unstorable(target)
    if (fault) {
      tally.failed++
      await tellFailure(output, { path: file.path, to }, file.path, new Error(fault))
    } else {
      tally.done++
      await tellUpload(output, action, file, to)
    }
  }
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
    // The list of the service is current: a file that an earlier run uploaded has since been moved or replaced.
    isStill: () => false,
    // The hash of encrypted bytes is only known after the upload.
    fieldsOf: (file: Outgoing) => ({ onConflict: 'replace' as const, ...(vaultKey === null && { checksumSha256: sumOf(file) }) }), // biome-ignore format: one claim
    onUploaded: (file: Outgoing, fileId: string) => hashes.uploaded(fileId, file, sumOf(file)),
  }
  await tally.add(files.length, uploadFiles(client, plan, context))
}
