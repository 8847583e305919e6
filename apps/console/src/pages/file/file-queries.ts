import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import { type FileCopy, type FileRecord, readCopies, readFile, readTimeline } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import type { PageProps } from '../page-props.ts'

export interface FileView {
  file: FileRecord
  copies: FileCopy[]
}

export const fileKey = (fileId: string) => ['file', fileId] as const

const view = (fileId: string) =>
  queryOptions({ queryKey: fileKey(fileId), queryFn: ({ signal }) => readView(fileId, signal) })

export const askForFile = ({ fileId = '' }: PageProps['params']): void => void queryClient.prefetchQuery(view(fileId))

/** Polls while the file is changing, and less often the longer nothing changes. */
export const useFile = (fileId: string) =>
  useQuery({
    ...view(fileId),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : pollMs(data)),
    refetchIntervalInBackground: false,
  })

async function readView(fileId: string, signal: AbortSignal): Promise<FileView> {
  const [file, { copies }] = await Promise.all([
    readFile(client(), { fileId }, { signal }),
    readCopies(client(), { fileId }, { signal }),
  ])
  return { file, copies }
}

/** When each response was first seen: structural sharing keeps an unchanged response the same object. */
const seenAt = new WeakMap<FileView, number>()

function pollMs(view: FileView): number | false {
  if (isSettled(view)) return false
  const since = seenAt.get(view) ?? Date.now()
  seenAt.set(view, since)
  return Math.min(30_000, Math.max(1_000, (Date.now() - since) / 4))
}

function isSettled({ file, copies }: FileView): boolean {
  if (file.deletedAt !== null || file.status === 'error') return true
  const isMoving = copies.some(({ state }) => state === 'planned' || state === 'lost' || state === 'dropping')
  return file.status === 'cold' && !file.rehydrating && !file.inHotCache && !isMoving
}

/** Oldest entries first. Refetched when the file changes. */
export function useTimeline({ file, copies }: FileView) {
  const version = [file.updatedAt, ...copies.map(({ state, checkedAt }) => `${state} ${checkedAt}`)].join()
  return useInfiniteQuery({
    queryKey: [...fileKey(file.id), 'timeline', version],
    queryFn: ({ pageParam, signal }) =>
      readTimeline(client(), { fileId: file.id, limit: 100, cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled: file.deletedAt === null,
  })
}
