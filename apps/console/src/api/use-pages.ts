import { type QueryKey, useInfiniteQuery } from '@tanstack/preact-query'

interface PageOptions {
  cursor: string | undefined
  signal: AbortSignal
}

/** A list of the API, page after page as its cursors lead. `everyMs`: how often all that is shown is read anew; false: not by itself. */
export function usePages<Page extends { nextCursor: string | null }>(
  queryKey: QueryKey,
  read: (options: PageOptions) => Promise<Page>,
  everyMs: (pages: readonly Page[]) => number | false = () => false,
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state }) => everyMs(state.data?.pages ?? []),
  })
}

/** What a list needs to know of it. */
export type Pages<Page extends { nextCursor: string | null }> = ReturnType<typeof usePages<Page>>
