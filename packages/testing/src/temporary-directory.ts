import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new empty directory that is removed on disposal; `purpose` is part of its name. */
export async function createTemporaryDirectory(purpose: string) {
  const path = await mkdtemp(join(tmpdir(), `tideport-${purpose}-`))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
