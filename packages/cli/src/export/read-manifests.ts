import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { FileRecord, Vault } from '@tideport/sdk'
import { linesIn } from '../local/lines-in.ts'
import { plainFile } from '../local/plain-folders.ts'
import type { Part } from './car-source.ts'

export type ExportedVault = Vault & { type: 'vault' }
export interface ExportedFolder {
  type: 'folder'
  vaultId: string
  path: string
}
/** Without `parts` and `savedAs`, the bytes are lost. */
export type ExportedFile = FileRecord & {
  type: 'file'
  isLatest: boolean
  parts?: Part[]
  /** Path that rebuild.mjs wrote, relative to the folder. */
  savedAs?: string
}
type Told = ExportedVault | ExportedFolder | ExportedFile
type Line = Told | { type: 'tideport-manifest'; version: number } | { type: 'end' }

/** Characters. A file of 5 TiB has 20,000 parts of about 200 characters each. */
const LINE_MAX = 16 * 1024 ** 2

const RECORDS = 'records.ndjson'

/**
 * Yields the manifest lines of an export, or of a folder from rebuild.mjs. Throws a sentence for an incomplete export.
 */
export async function* readManifests(folder: string): AsyncGenerator<Told> {
  const names = await readdir(folder)
  const manifests = names.filter((name) => /^manifest-\d+\.ndjson$/.test(name)).toSorted()
  if (manifests.length > 0) yield* readExport(folder, manifests)
  else if (names.includes(RECORDS)) yield* readRecords(folder)
  else throw new Error(`${folder} contains no export`)
}

async function* readExport(folder: string, names: readonly string[]) {
  let last: Line | null = null
  for (const name of names) {
    for await (const text of linesOf(folder, name)) {
      last = parseLine(text)
      if (last === null) throw new Error(`${name} of the export has an invalid line`)
      if (last.type === 'tideport-manifest' && last.version !== 1)
        throw new Error(
          `The export has version ${last.version}, but this program reads only version 1. Update tideport`,
        )
      if (last.type === 'vault' || last.type === 'folder' || last.type === 'file') yield last
    }
  }
  if (last?.type !== 'end') throw new Error(`The export in ${folder} is incomplete. Export again`)
}

/** Ignores a line that a crash truncated. */
async function* readRecords(folder: string) {
  for await (const text of linesOf(folder, RECORDS)) {
    const line = parseLine(text)
    if (line) yield line as Told
  }
}

function parseLine(text: string): Line | null {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' ? (line as Line | null) : null
  } catch {
    return null
  }
}

async function* linesOf(folder: string, name: string): AsyncGenerator<string> {
  const path = await plainFile(folder, name)
  const tooLong = () => new Error(`${path} has a line that is too long for an export manifest`)
  yield* linesIn(createReadStream(path, 'utf8'), LINE_MAX, tooLong)
}
