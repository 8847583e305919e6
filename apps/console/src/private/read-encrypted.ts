import type { ReadEncrypted } from '@tideport/sdk/crypto'

/** Another URL or another try may succeed. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
}

/** The URL must need no credentials. */
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
