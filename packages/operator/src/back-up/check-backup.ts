import { inParallel } from '@tideport/service-kit/process/in-parallel'
import { readFiles, readIds } from './file-lists.ts'
import { namesOf, type OpenBackup, objectName } from './manifest.ts'
import { DamagedError } from './sealed.ts'
import type { BackupTarget } from './target/target.ts'

/** Reads every byte of a backup. Reports each damaged or missing blob, and returns their number. */
export async function checkBackup(
  target: BackupTarget,
  backup: OpenBackup,
  report: (sentence: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const { manifest, read } = backup
  let faults = 0
  const check = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      faults += 1
      report(error.message)
    }
  }
  const readAll = async (name: string) => {
    for await (const _ of read(name, signal)) signal.throwIfAborted()
  }
  const names = namesOf(manifest.id)
  await inParallel(manifest.tables, (table) => check(() => readAll(names.table(table))))
  await check(() => readAll(names.files))
  await check(async () => {
    for await (const _ of readIds(target, manifest.id, signal)) signal.throwIfAborted()
  })
  if (faults > 0) return faults
  let files = 0
  for await (const batch of readFiles(backup, signal)) {
    files += batch.length
    await inParallel(batch, ({ id, sizeBytes }) =>
      check(async () => {
        let bytes = 0
        for await (const chunk of read(objectName(id), signal)) bytes += chunk.length
        if (bytes !== sizeBytes) throw new DamagedError(`${objectName(id)} has another size than the file`)
      }),
    )
  }
  if (files !== manifest.files) {
    faults += 1
    report(`The list of files has ${files} files instead of ${manifest.files}`)
  }
  return faults
}
