import { useInfiniteQuery, useMutation } from '@tanstack/preact-query'
import {
  type CreatedLink,
  type CreateFileLinkInput,
  createFileLink,
  type Link,
  listFileLinks,
  revokeLink,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useChange } from '../../api/use-change.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'

const key = (fileId: string) => ['links', 'of-file', fileId] as const
const refresh = () => queryClient.invalidateQueries({ queryKey: ['links'] })

/** The links of a file, page by page, newest first. */
export function useFileLinks(fileId: string) {
  return useInfiniteQuery({
    queryKey: key(fileId),
    queryFn: ({ pageParam, signal }) =>
      listFileLinks(client(), { fileId, limit: 20, cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
}

/** The answer has the link's URL, which nobody is told again. */
export const useCreateLink = (onAnswer: (created: CreatedLink) => void) =>
  useChange({ changes: ['links'], onAnswer, run: (input: CreateFileLinkInput) => createFileLink(client(), input) })

export function useRevokeLink() {
  return useMutation({
    mutationFn: ({ id }: Link) => revokeLink(client(), { linkId: id }),
    async onSuccess() {
      await refresh()
      toast(text.value.file.linkRevoked)
    },
  })
}
