import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Content } from '../verified/entry.ts'
import { ifExists, onDisk } from './disk.ts'
import type { Lane } from './disk-call-limiter.ts'

export interface OpenFile extends Content {
  stat(): Promise<Stats>
  readAll(): Promise<Buffer>
}

export async function openFile(reads: Lane, path: string): Promise<OpenFile | null> {
  const opening = reads.run(
    () => open(path, 'r'),
    (late) => late.close(),
  )
  const handle = await ifExists(opening)
  if (handle === null) return null
  return {
    stat: () => onDisk(reads.run(() => handle.stat())),
    async fill(space, position) {
      for (let filled = 0; filled < space.length; ) {
        const at = filled
        const read = () => handle.read(space, at, space.length - at, position + at)
        const { bytesRead } = await onDisk(reads.run(read))
        if (bytesRead === 0) return false
        filled += bytesRead
      }
      return true
    },
    readAll: () => onDisk(reads.run(() => handle.readFile())),
    [Symbol.asyncDispose]: () => reads.tidy(() => handle.close()),
  }
}
