import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { FileRecord, Vault } from '@tideport/sdk'
import { plainFile } from '../local/plain-folders.ts'
import type { Part } from './car-source.ts'

export type ExportedVault = Vault & { type: 'vault' }
/** A folder that its vault keeps though it may be empty. */
export interface ExportedFolder {
  type: 'folder'
  vaultId: string
  path: string
}
/** Without `parts` and `savedAs` its bytes were lost. */
export type ExportedFile = FileRecord & {
  type: 'file'
  isLatest: boolean
  parts?: Part[]
  /** Where in the folder rebuild.mjs has put it. */
  savedAs?: string
}
type Told = ExportedVault | ExportedFolder | ExportedFile
type Line = Told | { type: 'tideport-manifest'; version: number } | { type: 'end' }

/** What rebuild.mjs knows of the files that it has saved. */
const RECORDS = 'records.ndjson'

/**
 * The lines of an export's manifests, in their order, or those of a folder that rebuild.mjs has made. Throws a sentence for
 * a folder that has no whole export.
 */
export async function* readManifests(folder: string): AsyncGenerator<Told> {
  const names = await readdir(folder)
  const manifests = names.filter((name) => /^manifest-\d+\.ndjson$/.test(name)).toSorted()
  if (manifests.length > 0) yield* readExport(folder, manifests)
  else if (names.includes(RECORDS)) yield* readRecords(folder)
  else throw new Error(`There is no export in ${folder}`)
}

async function* readExport(folder: string, names: readonly string[]) {
  let last: Line | null = null
  for (const name of names) {
    for await (const text of await linesOf(folder, name)) {
      last = JSON.parse(text) as Line
      if (last.type === 'tideport-manifest' && last.version !== 1)
        throw new Error(`The export is of version ${last.version}, and this program reads version 1`)
      if (last.type === 'vault' || last.type === 'folder' || last.type === 'file') yield last
    }
  }
  if (last?.type !== 'end') throw new Error(`The export in ${folder} is not whole: export it again`)
}

/** A line that a crash has cut is none. */
async function* readRecords(folder: string) {
  for await (const text of await linesOf(folder, RECORDS)) {
    let line: Told
    try {
      line = JSON.parse(text)
    } catch {
      continue
    }
    yield line
  }
}

const linesOf = async (folder: string, name: string) =>
  createInterface({ input: createReadStream(await plainFile(folder, name)) })
