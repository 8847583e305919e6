import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'

export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  return (await hashInto(createHash('sha256'), path, signal)).digest('hex')
}

export async function hashInto(hash: Hash, path: string, signal: AbortSignal): Promise<Hash> {
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 ** 2, signal })) hash.update(chunk as Buffer)
  return hash
}
