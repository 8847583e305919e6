import { readFile } from 'node:fs/promises'
import { writeAtomically } from '../file-system/write-atomically.ts'
import type { DataLayout } from './data-layout.ts'

/** Data that `tideport move-out` moved. Not in the folders of the data, because these may be deleted afterwards. */
export type MovedOut = {
  /** ID of the move, which its targets have until it is complete. */
  id: string
  postgres?: Moved
  s3?: Moved
}

/** `to`: an address without credentials. */
export type Moved = { at: string; to: string }

/** Undefined: nothing was moved. */
export async function readMovedOut({ movedOut }: DataLayout): Promise<MovedOut | undefined> {
  try {
    return JSON.parse(await readFile(movedOut, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function writeMovedOut({ movedOut }: DataLayout, moved: MovedOut): Promise<void> {
  await writeAtomically(movedOut, `${JSON.stringify(moved, null, 2)}\n`)
}
