import type { Client } from '../client/create-client.ts'
import { webUrl } from '../client/web-url.ts'
import { ProtocolError } from '../errors/transfer-errors.ts'
import { renewUploadUrls } from '../generated/calls.ts'

export interface PartTarget {
  url: string
  headers: Record<string, string>
}

interface Signed {
  expiresAt: string
  headers: Record<string, string>
  parts: { partNumber: number; uploadUrl: string }[]
}

/** Parts signed per request: enough to sign rarely, and few enough that no URL expires unused. */
const AHEAD = 16
/** URLs are not used in their last seconds, because a PUT must start before the URL expires. */
const MARGIN_MS = 30_000

/** URLs for the parts of an upload, requested as parts start, and again after a refusal. */
export function openPartUrls(client: Client, fileId: string, partCount: number, signal: AbortSignal, first?: Signed) {
  const known = new Map<number, PartTarget & { usableUntil: number }>()
  let signing: Promise<void> | null = null
  if (first) keep(first)

  function keep({ expiresAt, headers, parts }: Signed) {
    const usableUntil = Date.parse(expiresAt) - MARGIN_MS
    for (const { partNumber, uploadUrl } of parts)
      known.set(partNumber, { url: webUrl(uploadUrl, client.baseUrl), headers, usableUntil })
  }

  async function sign(from: number) {
    const partNumbers = Array.from({ length: Math.min(AHEAD, partCount - from + 1) }, (_, index) => from + index)
    keep(await renewUploadUrls(client, { fileId, partNumbers }, { signal }))
  }

  const usable = (part: number) => {
    const target = known.get(part)
    return target && target.usableUntil > Date.now() ? target : undefined
  }

  return {
    async of(part: number): Promise<PartTarget> {
      while (signing && !usable(part)) await signing
      const target = usable(part)
      if (target) return target
      signing = sign(part).finally(() => {
        signing = null
      })
      await signing
      // A new URL from the service is valid, even if the local clock is wrong.
      const fresh = known.get(part)
      if (!fresh) throw new ProtocolError('The service returned no URL for a part')
      return fresh
    },
    /** Drops a URL that was rejected or whose outcome is unknown. */
    forget(part: number) {
      known.delete(part)
    },
  }
}

export type PartUrls = ReturnType<typeof openPartUrls>
