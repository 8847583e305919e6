import { type Client, type FileRecord, IdTakenError, type ItemSource, NotFoundError, readFile, type UploadOptions, upload, type WrittenFile } from '@tideport/sdk' // biome-ignore format: one line

/** Uploads a file under its own ID, or a new one if that is taken. Keeps a file that exists under the ID. */
export async function uploadWithId(client: Client, source: ItemSource, options: UploadOptions): Promise<WrittenFile> {
  try {
    return await upload(client, source, options)
  } catch (error) {
    if (!(error instanceof IdTakenError)) throw error
  }
  const { id, ...fields } = options.fields ?? {}
  const there = await findFile(client, id as string, options.signal)
  if (there && isSame(there, source, fields.checksumSha256)) return there
  // Of its own, so that it is one file however often both are asked for.
  const idempotencyKey = `${options.idempotencyKey}:new`
  return await upload(client, source, { ...options, fields, idempotencyKey })
}

/** Whether there is no doubt about its bytes: those of a file in error may be lost, and be what the import is for. */
export const isWell = ({ status }: FileRecord): boolean => status !== 'error'

async function findFile(client: Client, fileId: string, signal: AbortSignal | undefined): Promise<FileRecord | null> {
  try {
    return await readFile(client, { fileId }, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

function isSame(file: FileRecord, source: ItemSource, sha256: string | null | undefined): boolean {
  const isHere = file.status !== 'uploading' && file.deletedAt === null && isWell(file)
  const hasBytes = 'size' in source && file.sizeBytes === source.size
  return isHere && hasBytes && (sha256 ?? file.checksumSha256) === (file.checksumSha256 ?? sha256)
}
