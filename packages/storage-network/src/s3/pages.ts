import { documentOf, malformed, textOf } from '@tideport/s3-client/response'
import type { Bucket } from './bucket.ts'
import { readable } from './failure.ts'

export interface List {
  root: string
  query: Record<string, string>
  next: Record<string, string>
}

/** Rejects a foreign or truncated list, which would look empty. @throws NetworkError */
export async function* pagesOf(
  bucket: Bucket,
  { root, query, next }: List,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (let from: Record<string, string> | null = {}; from !== null; ) {
    const answer = await bucket.ask({ method: 'GET', query: { ...query, ...from } }, signal)
    const page = readable(() => documentOf(root)(answer))
    yield page
    from = textOf(page, 'IsTruncated') === 'true' ? readable(() => placeAfter(page, next, from ?? {})) : null
  }
}

function placeAfter(page: string, next: List['next'], before: Record<string, string>): Record<string, string> {
  const named = Object.entries(next).flatMap(([name, element]) => {
    const value = textOf(page, element)
    return value ? [[name, value] as const] : []
  })
  const isNew = named.some(([name, value]) => before[name] !== value)
  if (!isNew) throw malformed('is a truncated list without a position to continue from')
  return Object.fromEntries(named)
}
