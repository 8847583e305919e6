import { compressed, decompressed } from './compressed.ts'
import { type ListedFile, listedFileShape, namesOf, type OpenBackup, parse, readBlob } from './manifest.ts'
import { createSealer, createUnseal, type Sealer } from './sealed.ts'
import type { BackupTarget } from './target/target.ts'

const ID_BYTES = 16

/** Writes the lists `files` and `ids` of a backup from batches in the order of their IDs. */
export async function writeLists(
  { target, sealer, signal }: { target: BackupTarget; sealer: Sealer; signal: AbortSignal },
  id: string,
  batches: AsyncIterable<ListedFile[]>,
): Promise<void> {
  const names = namesOf(id)
  const plain = await createSealer([])
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const lines = async function* () {
    let isComplete = false
    try {
      for await (const batch of batches) {
        await writer.write(Buffer.concat(batch.map((file) => Buffer.from(file.id.replaceAll('-', ''), 'hex'))))
        yield batch.map((file) => `${JSON.stringify(file)}\n`).join('')
      }
      isComplete = true
      await writer.close()
    } finally {
      // The failure of one list also stops the other one.
      if (!isComplete) await writer.abort(new Error('The list is incomplete')).catch(() => undefined)
    }
  }
  const written = [
    target.put(names.files, sealer.seal(names.files, compressed(lines())), signal),
    target.put(names.ids, plain.seal(names.ids, readable), signal),
  ]
  const failures = (await Promise.allSettled(written)).filter((one) => one.status === 'rejected')
  if (failures[0] !== undefined) throw failures[0].reason
}

/** The files of a backup, in batches. Throws `DamagedError` at the end of a damaged list. */
export async function* readFiles({ manifest, read }: OpenBackup, signal: AbortSignal): AsyncGenerator<ListedFile[]> {
  let rest = ''
  const decoder = new TextDecoder()
  const name = namesOf(manifest.id).files
  for await (const chunk of decompressed(read(name, signal))) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() as string
    if (lines.length > 0) yield lines.map((line) => parse(listedFileShape, line, name))
  }
}

/** The IDs of a backup's files, in order. Needs no identity. */
export async function* readIds(target: BackupTarget, id: string, signal: AbortSignal): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of readBlob(target, createUnseal([]), namesOf(id).ids, signal)) {
    const all = Buffer.concat([rest, chunk])
    const end = all.length - (all.length % ID_BYTES)
    for (let at = 0; at < end; at += ID_BYTES) yield asId(all.toString('hex', at, at + ID_BYTES))
    rest = all.subarray(end)
  }
}

const asId = (hex: string) =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
