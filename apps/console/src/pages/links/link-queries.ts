import { useQuery } from '@tanstack/preact-query'
import {
  type CreatedLink,
  type CreateFolderLinkInput,
  createFolderLink,
  type Link,
  listLinks,
  readFile,
  revokeLink,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePages } from '../../api/use-pages.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'

const changes = ['links'] as const
/** For each that leads to a file its name is asked for. */
const perPage = 20

/** All links of the account, newest first. */
export const useLinks = () =>
  usePages([...changes, 'list'], ({ cursor, signal }) =>
    listLinks(client(), { cursor, limit: perPage }, { signal }).page(),
  )

/** Undefined while it is not known, and for a file in the trash. */
export function useFilePath(fileId: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['file-path', fileId],
    queryFn: async ({ signal }) => (await readFile(client(), { fileId }, { signal })).path,
    staleTime: 60_000,
  })
  return data
}

export const useCreateLink = (onAnswer: (created: CreatedLink) => void) =>
  useChange({ changes, onAnswer, run: (input: CreateFolderLinkInput) => createFolderLink(client(), input) })

export const useRevokeLink = (onClose: () => void) =>
  useChange({
    changes,
    run: ({ id }: Link) => revokeLink(client(), { linkId: id }),
    onDone() {
      onClose()
      toast(text.value.links.revoked)
    },
  })
