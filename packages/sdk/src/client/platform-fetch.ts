export type Fetch = (url: string, init: RequestInit, onSent?: (bytes: number) => void) => Promise<Response>

/** The platform's own `fetch`, which does not report how much of a body has left. Node uses `node/fetch.ts` instead. */
// Called as a method of something else, the browsers' fetch refuses.
export const fetch: Fetch = (url, init) => globalThis.fetch(url, init)
