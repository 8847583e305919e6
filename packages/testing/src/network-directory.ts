import { open, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createTemporaryDirectory } from './temporary-directory.ts'

const MARKER = 'tideport-network.json'
const PROBE = join('staging', 'probe.')

export async function createNetworkDirectory() {
  const { path, [Symbol.asyncDispose]: dispose } = await createTemporaryDirectory('network')

  return {
    path,
    /** Relative paths of all files in the directory, except the network's marker and files of health checks. */
    async list(): Promise<string[]> {
      const entries = await readdir(path, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)))
        .filter((file) => file !== MARKER && !file.startsWith(PROBE))
    },
    async empty(): Promise<void> {
      for (const name of await readdir(path)) {
        if (name !== MARKER) await rm(join(path, name), { recursive: true })
      }
    },
    async corrupt(file: string, atByte = 0): Promise<void> {
      await using handle = await open(join(path, file), 'r+')
      const byte = Buffer.alloc(1)
      const { bytesRead } = await handle.read(byte, 0, 1, atByte)
      if (bytesRead === 0) throw new Error(`${file} has no byte ${atByte}`)
      await handle.write(Buffer.of(byte.readUInt8() ^ 1), 0, 1, atByte)
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}
