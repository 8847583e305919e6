import {
  type CreatedLink,
  type CreateFolderLinkInput,
  createFolderLink,
  type Link,
  listLinks,
  revokeLink,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePages } from '../../api/use-pages.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'

const changes = ['links'] as const

/** All links of the account, newest first. */
export const useLinks = () =>
  usePages([...changes, 'list'], async ({ cursor, signal }) => {
    const { links, nextCursor } = await listLinks(client(), { cursor }, { signal }).page()
    return { items: links, nextCursor }
  })

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
