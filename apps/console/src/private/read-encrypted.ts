import type { ReadEncrypted } from '@tideport/sdk/crypto'

/** The bytes did not come; another URL, or another try, may bring them. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
}

/** Reads ranges from a URL that needs no credentials. */
export function rangesOf(url: string): ReadEncrypted {
  return async function* (start, end) {
    if (end <= start) return
    try {
      const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` } })
      if (response.status !== 206 || response.body === null) throw new StorageFailure(`Answered ${response.status}`)
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    } catch (error) {
      throw error instanceof StorageFailure ? error : new StorageFailure('No bytes came', { cause: error })
    }
  }
}
