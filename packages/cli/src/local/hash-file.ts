import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** The SHA-256 of a file of this machine, in lower-case hexadecimal. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  return (await hashInto(createHash('sha256'), path, signal)).digest('hex')
}

/** Goes on with a hash over all bytes of a file. */
export async function hashInto(hash: Hash, path: string, signal: AbortSignal): Promise<Hash> {
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 ** 2, signal })) hash.update(chunk as Buffer)
  return hash
}
