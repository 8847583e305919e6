import type { Dirent } from 'node:fs'
import { opendir, readdir, stat } from 'node:fs/promises'
import { isBlobId, isReference } from '../copy-name.ts'
import type { Reference } from '../storage-network.ts'
import { blobDir, entryPath, ifExists, onDisk } from './disk.ts'
import type { Volume } from './volume.ts'

/** Every committed copy, in no order. Fails if the volume was unmounted meanwhile. */
export async function* listReferences(volume: Volume, signal: AbortSignal): AsyncGenerator<Reference> {
  const { dir, reads } = volume
  await volume.check()
  for await (const { name: blobId } of listNames(volume)) {
    signal.throwIfAborted()
    if (!isBlobId(blobId)) continue
    for (const reference of (await ifExists(reads.run(() => readdir(blobDir(dir, blobId))))) ?? []) {
      if (!isReference(reference)) continue
      const entry = await ifExists(reads.run(() => stat(entryPath(dir, blobId, reference))))
      if (entry?.isFile()) yield { blobId, reference, sizeBytes: entry.size, storedAt: entry.mtime }
    }
  }
  await volume.check()
}

async function* listNames({ dir, reads }: Volume): AsyncGenerator<Dirent> {
  const opening = reads.run(
    () => opendir(dir),
    (late) => late.close(),
  )
  const names = await onDisk(opening)
  try {
    for (;;) {
      const name = await onDisk(reads.run(() => names.read()))
      if (name === null) return
      yield name
    }
  } finally {
    await reads.tidy(() => names.close())
  }
}
