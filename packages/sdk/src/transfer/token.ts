import { SourceChangedError } from '../errors/transfer-errors.ts'
import { fingerprintOf, fromBase64Url, type Source, toBase64Url } from './source.ts'

/** The state to resume an upload after a crash. Grants no access. */
export interface UploadToken {
  version: 1
  fileId: string
  /** A file that is uploaded in one call, which creates the file with this ID. */
  isWhole?: true | undefined
  sizeBytes: number
  /** Null: one PUT. */
  partSizeBytes: number | null
  fingerprint: string
  /** Private files: the wrapped key and the header of the encryption. */
  wrappedKey?: string | undefined
  encryptionIv?: string | undefined
}

export function writeToken(token: UploadToken): string {
  return toBase64Url(new TextEncoder().encode(JSON.stringify(token)))
}

export function readToken(text: string): UploadToken {
  try {
    const token = JSON.parse(new TextDecoder().decode(fromBase64Url(text))) as UploadToken
    if (token.version === 1 && typeof token.fileId === 'string') return token
  } catch {}
  throw new TypeError('The text is not an upload token')
}

export async function checkSource(token: UploadToken, source: Source): Promise<void> {
  if (token.sizeBytes !== source.size || token.fingerprint !== (await fingerprintOf(source))) {
    throw new SourceChangedError('The source differs from the one that started the upload, or it has changed')
  }
}
