import { type Client, createClient } from '@tideport/sdk'
import type { ApiClient } from '../api-client.ts'

/** The SDK client for the account of an `ApiClient`, with the same patience. */
export function sdkClientOf({ baseUrl, identity, options }: ApiClient): Client {
  return createClient({
    baseUrl,
    attempts: options.takes503 ? 1 : 12,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...identity } }),
  })
}
