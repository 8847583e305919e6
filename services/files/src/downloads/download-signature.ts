import { createHmac, timingSafeEqual } from 'node:crypto'

/** The query of a service URL for a file's bytes (docs/file-lifecycle.md §8). `expires` is Unix seconds. */
export interface DownloadToken {
  expires: string
  signature: string
}

/** Signs with the first key. The purpose is part of what is signed, so no other token can stand in for this one. */
export function signDownload(keys: readonly Buffer[], fileId: string, expiresAt: Date): DownloadToken {
  const [key] = keys
  if (key === undefined) throw new Error('There is no key to sign downloads with')
  const expires = String(Math.floor(expiresAt.getTime() / 1000))
  return { expires, signature: macOf(key, fileId, expires) }
}

/** Whether one of the keys signed this token for this file. Says nothing of its expiry. */
export function isSignedDownload(keys: readonly Buffer[], fileId: string, token: DownloadToken): boolean {
  const given = Buffer.from(token.signature)
  return keys.some((key) => {
    const wanted = Buffer.from(macOf(key, fileId, token.expires))
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  })
}

export function hasExpired({ expires }: DownloadToken, now: Date): boolean {
  return now.getTime() >= Number(expires) * 1000
}

function macOf(key: Buffer, fileId: string, expires: string): string {
  return createHmac('sha256', key).update(['download', fileId, expires].join('\n')).digest('base64url')
}
