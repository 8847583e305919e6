export type Fetch = (url: string, init: RequestInit, onSent?: (bytes: number) => void) => Promise<Response>

/** The platform's `fetch`, which does not report upload progress. Node uses `node/fetch.ts` instead. */
// The `fetch` of browsers throws when called as a method of another object.
export const fetch: Fetch = (url, init) => globalThis.fetch(url, init)
