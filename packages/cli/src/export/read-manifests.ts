import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { FileRecord, Vault } from '@tideport/sdk'
import type { Part } from './car-source.ts'

export type ExportedVault = Vault & { type: 'vault' }
/** Without `parts` its bytes were lost. */
export type ExportedFile = FileRecord & { type: 'file'; isLatest: boolean; parts?: Part[] }
type Line = ExportedVault | ExportedFile | { type: 'tideport-manifest'; version: number } | { type: 'end' }

/** The lines of an export's manifests, in their order. Throws a sentence for a folder that has no whole export. */
export async function* readManifests(folder: string): AsyncGenerator<ExportedVault | ExportedFile> {
  const names = (await readdir(folder)).filter((name) => /^manifest-\d+\.ndjson$/.test(name)).toSorted()
  if (names.length === 0) throw new Error(`There is no export in ${folder}`)
  let last: Line | null = null
  for (const name of names) {
    for await (const text of createInterface({ input: createReadStream(join(folder, name)) })) {
      last = JSON.parse(text) as Line
      if (last.type === 'tideport-manifest' && last.version !== 1)
        throw new Error(`The export is of version ${last.version}, and this program reads version 1`)
      if (last.type === 'vault' || last.type === 'file') yield last
    }
  }
  if (last?.type !== 'end') throw new Error(`The export in ${folder} is not whole: export it again`)
}
