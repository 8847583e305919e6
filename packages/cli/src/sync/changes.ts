import type { FileRecord } from '@tideport/sdk'
import type { LocalFile } from '../local/walk-files.ts'
import { sizeOf } from '../private/read-contents.ts'
import type { Output } from '../terminal/output.ts'
import type { Sides } from './compare-sides.ts'

export const placeOf = ({ vault }: Pick<Sides, 'vault'>, path: string): string => `${vault.slug}:${path}`

/** A line of `sync`. A dry run prints the same line, without the values that only a run knows. */
export const changeLine = (action: string, place: string): string => `${action.padEnd(8)}  ${place}`

export async function tellUpload(output: Output, action: string, file: LocalFile, to: string): Promise<void> {
  const { path, size: sizeBytes } = file
  await output.result({ action, path, to, fileId: null, sizeBytes, status: null }, changeLine(action, to))
}

export async function tellDownload(
  output: Output,
  action: string,
  file: FileRecord,
  at: { from: string; path: string },
) {
  await output.result({ action, ...at, fileId: file.id, sizeBytes: sizeOf(file) }, changeLine(action, at.path))
}

export async function tellDeletedThere(output: Output, to: string, { id: fileId }: FileRecord): Promise<void> {
  await output.result({ action: 'delete', to, fileId }, changeLine('delete', to))
}

export async function tellDeletedHere(output: Output, path: string): Promise<void> {
  await output.result({ action: 'delete', path }, changeLine('delete', path))
}
